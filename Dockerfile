# Rekindle's images (docs/images.md). Needs BuildKit, and no frontend of others:
#
#   docker build --target metadata -t rekindle:metadata .
#
#   metadata        the server and the commands; no TensorFlow
#   trainer         and rekindle-trainer on TensorFlow's shared libraries; no Python
#   trainer-python  and Python with TensorFlow, for modules of users
#   trainer-gpu     the same with CUDA's libraries; refuses to train on the CPU
#
# Package registries other than the usual are secrets of the build, never in an
# image: --secret id=apt_sources,src=..., apt_conf, pip, ca (tools/image/).
ARG BASE=debian:bookworm-slim

# ---- what compiles ----

# Of tools/versions what each of the stages below needs: other changes of it cost nothing.
FROM $BASE AS versions
COPY tools/versions /
RUN bash -c 'source /versions && echo "${BUILD_PACKAGES[@]}" >/build-packages && \
    declare -p TENSORFLOW_VERSION TENSORBOARD_VERSION PROTOC_VERSION >/python-packages'

FROM $BASE AS toolchain
RUN --mount=type=bind,source=tools/image/install-packages,target=/run/install-packages \
    --mount=type=bind,from=versions,source=/build-packages,target=/run/packages \
    --mount=type=secret,id=apt_sources --mount=type=secret,id=apt_conf --mount=type=secret,id=ca \
    /run/install-packages ccache $(cat /run/packages)
WORKDIR /src

# ---- TensorFlow: changes with its version only ----

FROM toolchain AS tensorflow
ARG TENSORFLOW_VERSION=
ARG TENSORFLOW_PACKAGE=
RUN --mount=type=bind,source=tools/image/install-tensorflow,target=/run/install-tensorflow \
    --mount=type=bind,source=tools/image/constraints.txt,target=/run/constraints.txt \
    --mount=type=bind,source=tools/requirements,target=/run/requirements \
    --mount=type=bind,source=tools/bind_own_symbols.py,target=/run/bind_own_symbols.py \
    --mount=type=bind,from=versions,source=/python-packages,target=/run/versions \
    --mount=type=secret,id=pip --mount=type=secret,id=ca \
    /run/install-tensorflow /opt/rekindle/python

# Without Python: the two libraries alone. With it: a link to those that Python has.
FROM tensorflow AS tensorflow-libraries
RUN mkdir -p /out/lib/tensorflow && \
    cp /opt/rekindle/python/lib/python3*/site-packages/tensorflow/libtensorflow_*.so.2 /out/lib/tensorflow/

FROM tensorflow AS tensorflow-python
RUN --mount=type=bind,source=tools/image/share-libraries,target=/run/share-libraries /run/share-libraries /opt/rekindle

FROM toolchain AS tensorflow-cuda
ARG TENSORFLOW_VERSION=
RUN --mount=type=bind,source=tools/image/install-tensorflow,target=/run/install-tensorflow \
    --mount=type=bind,source=tools/image/constraints.txt,target=/run/constraints.txt \
    --mount=type=bind,source=tools/requirements,target=/run/requirements \
    --mount=type=bind,source=tools/bind_own_symbols.py,target=/run/bind_own_symbols.py \
    --mount=type=bind,source=tools/image/share-libraries,target=/run/share-libraries \
    --mount=type=bind,from=versions,source=/python-packages,target=/run/versions \
    --mount=type=secret,id=pip --mount=type=secret,id=ca \
    /run/install-tensorflow /opt/rekindle/python cuda && /run/share-libraries /opt/rekindle

# ---- our programs: everything is compiled once, without TensorFlow first ----

FROM toolchain AS build-metadata
# Sources that were compiled before are not compiled again, whatever the layers say.
ENV CCACHE_DIR=/ccache CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime \
    CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_GENERATOR=Ninja
COPY CMakeLists.txt ./
COPY cmake cmake
COPY proto proto
COPY base base
COPY metadata metadata
COPY examples/penguin examples/penguin
COPY component component
COPY manifests/base/templates manifests/base/templates
COPY operator operator
COPY cli cli
RUN --mount=type=cache,target=/ccache \
    cmake -B /build -DCMAKE_BUILD_TYPE=Release -DREKINDLE_WITH_TESTS=OFF -DREKINDLE_WITH_TENSORFLOW=OFF && \
    cmake --build /build --target rekindle && \
    cmake --install /build --prefix /out --component metadata --strip && \
    cmake --install /build --prefix /out --component python
RUN --mount=type=bind,source=tools/image/runtime-packages,target=/run/runtime-packages \
    /run/runtime-packages /out/bin/rekindle >/out/packages

FROM build-metadata AS build-trainer
RUN --mount=type=cache,target=/ccache \
    --mount=type=bind,from=tensorflow,source=/opt,target=/opt \
    cmake -B /build -DREKINDLE_WITH_TENSORFLOW=ON -DREKINDLE_PYTHON_ENV=/opt/rekindle/python \
          -DREKINDLE_PROTOC_TENSORFLOW=/opt/protoc/bin/protoc && \
    cmake --build /build --target rekindle-trainer && \
    cmake --install /build --prefix /out-trainer --component trainer --strip
RUN --mount=type=bind,source=tools/image/runtime-packages,target=/run/runtime-packages \
    --mount=type=bind,from=tensorflow,source=/opt/rekindle,target=/opt/rekindle \
    /run/runtime-packages /out-trainer/bin/rekindle-trainer /out-trainer/lib/*.so.* >/out-trainer/packages

# ---- what runs. First what changes least; our programs come last ----

FROM $BASE AS runtime
RUN --mount=type=bind,source=tools/image/install-packages,target=/run/install-packages \
    --mount=type=bind,from=build-metadata,source=/out/packages,target=/run/packages \
    --mount=type=secret,id=apt_sources --mount=type=secret,id=apt_conf --mount=type=secret,id=ca \
    /run/install-packages $(cat /run/packages) && \
    echo 'rekindle:x:65532:0::/data:/usr/sbin/nologin' >>/etc/passwd && \
    # Of group 0 and writable for it, so that any --user with that group can use a new volume.
    install -d -o 65532 -g 0 -m 0775 /data
ENV PATH=/opt/rekindle/python/bin:/opt/rekindle/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    # The root file system may be read-only.
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /data
USER 65532:0
ENTRYPOINT ["rekindle"]
CMD ["--help"]
LABEL org.opencontainers.image.title=rekindle \
      org.opencontainers.image.description="Training steps for plain Argo Workflows, with a memory" \
      org.opencontainers.image.licenses=Apache-2.0

FROM runtime AS trainer-runtime
USER 0
RUN --mount=type=bind,source=tools/image/install-packages,target=/run/install-packages \
    --mount=type=bind,from=build-trainer,source=/out-trainer/packages,target=/run/packages \
    --mount=type=secret,id=apt_sources --mount=type=secret,id=apt_conf --mount=type=secret,id=ca \
    /run/install-packages $(cat /run/packages)
USER 65532:0

FROM trainer-runtime AS python-runtime
USER 0
RUN --mount=type=bind,source=tools/image/install-packages,target=/run/install-packages \
    --mount=type=secret,id=apt_sources --mount=type=secret,id=apt_conf --mount=type=secret,id=ca \
    /run/install-packages python3
USER 65532:0

# ---- the images ----

FROM runtime AS metadata
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s CMD ["rekindle", "serve", "--check"]
COPY --from=build-metadata /out/bin /opt/rekindle/bin
ARG VERSION=unknown
ARG REVISION=unknown
ARG BASE
ARG BASE_DIGEST=unknown
USER 0
RUN --mount=type=bind,source=tools/image/write-sbom,target=/run/write-sbom \
    /run/write-sbom /opt/rekindle/sbom.spdx.json rekindle-metadata "$VERSION"
USER 65532:0
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.base.name=$BASE org.opencontainers.image.base.digest=$BASE_DIGEST

FROM trainer-runtime AS trainer
COPY --from=tensorflow-libraries /out /opt/rekindle
COPY --from=build-metadata /out/bin /opt/rekindle/bin
COPY --from=build-trainer /out-trainer/bin /opt/rekindle/bin
COPY --from=build-trainer /out-trainer/lib /opt/rekindle/lib
ARG VERSION=unknown
ARG REVISION=unknown
ARG BASE
ARG BASE_DIGEST=unknown
USER 0
RUN --mount=type=bind,source=tools/image/write-sbom,target=/run/write-sbom \
    --mount=type=bind,from=tensorflow,source=/opt/rekindle/python,target=/run/python \
    SBOM_PYTHON='/run/python/lib/python3*/site-packages' SBOM_ONLY='tensorflow*' \
    /run/write-sbom /opt/rekindle/sbom.spdx.json rekindle-trainer "$VERSION"
USER 65532:0
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.base.name=$BASE org.opencontainers.image.base.digest=$BASE_DIGEST

FROM python-runtime AS trainer-python
COPY --from=tensorflow-python /opt/rekindle /opt/rekindle
COPY --from=build-metadata /out/bin /opt/rekindle/bin
COPY --from=build-metadata /out/lib /opt/rekindle/lib
COPY --from=build-trainer /out-trainer/bin /opt/rekindle/bin
COPY --from=build-trainer /out-trainer/lib /opt/rekindle/lib
ARG VERSION=unknown
ARG REVISION=unknown
ARG BASE
ARG BASE_DIGEST=unknown
USER 0
RUN --mount=type=bind,source=tools/image/write-sbom,target=/run/write-sbom \
    /run/write-sbom /opt/rekindle/sbom.spdx.json rekindle-trainer-python "$VERSION"
USER 65532:0
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.base.name=$BASE org.opencontainers.image.base.digest=$BASE_DIGEST

FROM python-runtime AS trainer-gpu
COPY --from=tensorflow-cuda /opt/rekindle /opt/rekindle
COPY --from=build-metadata /out/bin /opt/rekindle/bin
COPY --from=build-metadata /out/lib /opt/rekindle/lib
COPY --from=build-trainer /out-trainer/bin /opt/rekindle/bin
COPY --from=build-trainer /out-trainer/lib /opt/rekindle/lib
# What NVIDIA's container runtime is to bring in, and what to do when it did not.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility REKINDLE_REQUIRE_GPU=1
ARG VERSION=unknown
ARG REVISION=unknown
ARG BASE
ARG BASE_DIGEST=unknown
USER 0
RUN --mount=type=bind,source=tools/image/write-sbom,target=/run/write-sbom \
    /run/write-sbom /opt/rekindle/sbom.spdx.json rekindle-trainer-gpu "$VERSION"
USER 65532:0
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.base.name=$BASE org.opencontainers.image.base.digest=$BASE_DIGEST
