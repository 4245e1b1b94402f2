module interop/collector

go 1.23

require (
	go.opentelemetry.io/collector/confmap/provider/fileprovider v1.26.0
	go.opentelemetry.io/collector/exporter/otlphttpexporter v0.120.0
	go.opentelemetry.io/collector/otelcol v0.120.0
	go.opentelemetry.io/collector/receiver/otlpreceiver v0.120.0
)
