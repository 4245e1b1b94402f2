export { Holder, MetricsRegistry } from './registry.ts'
