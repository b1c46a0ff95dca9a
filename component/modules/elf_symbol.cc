#include "component/modules/elf_symbol.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <type_traits>

#include "absl/status/status.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "which ELF machine is this?"
#endif

absl::Status Damaged() {
  return absl::InvalidArgumentError("it is a damaged shared library");
}

absl::StatusOr<absl::string_view> Slice(absl::string_view file, uint64_t offset,
                                        uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return Damaged();
  return file.substr(offset, size);
}

template <typename T>
absl::StatusOr<T> Get(absl::string_view file, uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  RK_ASSIGN_OR_RETURN(const absl::string_view bytes,
                      Slice(file, offset, sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

absl::StatusOr<Elf64_Ehdr> ReadHeader(absl::string_view file) {
  if (!file.starts_with(absl::string_view(ELFMAG, SELFMAG))) {
    return absl::InvalidArgumentError("it is not a shared library");
  }
  RK_ASSIGN_OR_RETURN(const auto header, Get<Elf64_Ehdr>(file, 0));
  if (header.e_type != ET_DYN || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != kMachine) {
    return absl::InvalidArgumentError(
        "it is not a shared library for this kind of machine");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Damaged();
  }
  return header;
}

// The section that `index` names.
absl::StatusOr<Elf64_Shdr> ReadSection(absl::string_view file,
                                       const Elf64_Ehdr& header,
                                       uint32_t index) {
  if (index >= header.e_shnum) return Damaged();
  RK_ASSIGN_OR_RETURN(const absl::string_view table,
                      Slice(file, header.e_shoff,
                            uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
  return Get<Elf64_Shdr>(table, index * sizeof(Elf64_Shdr));
}

// The table of the symbols that the library imports and exports.
absl::StatusOr<Elf64_Shdr> FindSymbolTable(absl::string_view file,
                                           const Elf64_Ehdr& header) {
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    RK_ASSIGN_OR_RETURN(const Elf64_Shdr section, ReadSection(file, header, i));
    if (section.sh_type == SHT_DYNSYM) return section;
  }
  return Damaged();
}

// The bytes at the address of `symbol`.
absl::StatusOr<absl::string_view> BytesOf(absl::string_view file,
                                          const Elf64_Ehdr& header,
                                          const Elf64_Sym& symbol) {
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    RK_ASSIGN_OR_RETURN(
        const auto segments,
        Slice(file, header.e_phoff, (i + 1) * sizeof(Elf64_Phdr)));
    RK_ASSIGN_OR_RETURN(const auto segment,
                        Get<Elf64_Phdr>(segments, i * sizeof(Elf64_Phdr)));
    if (segment.p_type != PT_LOAD || symbol.st_value < segment.p_vaddr ||
        symbol.st_value - segment.p_vaddr >= segment.p_filesz) {
      continue;
    }
    RK_ASSIGN_OR_RETURN(const auto bytes,
                        Slice(file, segment.p_offset, segment.p_filesz));
    return Slice(bytes, symbol.st_value - segment.p_vaddr, symbol.st_size);
  }
  return Damaged();
}

// Whether a table of names has `name`, whole, at `offset`.
bool IsName(absl::string_view names, uint64_t offset, absl::string_view name) {
  return offset < names.size() && names.substr(offset).starts_with(name) &&
         offset + name.size() < names.size() &&
         names[offset + name.size()] == '\0';
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadElfSymbol(
    absl::string_view file, absl::string_view name) {
  RK_ASSIGN_OR_RETURN(const Elf64_Ehdr header, ReadHeader(file));
  RK_ASSIGN_OR_RETURN(const Elf64_Shdr table, FindSymbolTable(file, header));
  RK_ASSIGN_OR_RETURN(const Elf64_Shdr strings,
                      ReadSection(file, header, table.sh_link));
  RK_ASSIGN_OR_RETURN(const auto names,
                      Slice(file, strings.sh_offset, strings.sh_size));
  RK_ASSIGN_OR_RETURN(const auto symbols,
                      Slice(file, table.sh_offset, table.sh_size));
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size();
       at += sizeof(Elf64_Sym)) {
    RK_ASSIGN_OR_RETURN(const auto symbol, Get<Elf64_Sym>(symbols, at));
    if (symbol.st_shndx == SHN_UNDEF || !IsName(names, symbol.st_name, name)) {
      continue;
    }
    RK_ASSIGN_OR_RETURN(const auto bytes, BytesOf(file, header, symbol));
    return std::string(bytes);
  }
  return std::nullopt;
}

}  // namespace rekindle
