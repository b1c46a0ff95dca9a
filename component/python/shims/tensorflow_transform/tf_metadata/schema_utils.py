"""Schemas as feature specs, and back."""

from rekindle_module.feature_spec import SchemaAsFeatureSpecResult
from rekindle_module.feature_spec import schema_as_feature_spec
from rekindle_module.schema_from_spec import schema_from_feature_spec
