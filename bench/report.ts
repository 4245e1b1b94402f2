import { cpus } from 'node:os'
import type { ComparedRow } from './added-cost.ts'
import type { BulkRow } from './bulk.ts'
import type { BurstRow } from './burst.ts'
import { placement } from './cores.ts'
import type { FleetResult } from './fleet.ts'
import type { LatencyRow } from './latency.ts'
import { loadProgram } from './load.ts'
import type { Measured } from './measure.ts'
import type { ProxyRow } from './proxy.ts'
import type { RoutesRow } from './routes.ts'
import type { StartRow } from './start.ts'
import type { TlsRow } from './tls.ts'
import type { WebSocketRow } from './websocket.ts'

/** Environment of the measurement, without which results can not be compared. */
export function environment(): Record<string, string | number> {
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    placement,
    load: loadProgram,
  }
}

/** The result of `proxy` as a table. */
export function proxyTable(rows: readonly ProxyRow[]): string {
  return table(
    [
      'proxy',
      'CPU µs/request',
      'least - most',
      'to bare',
      'to nginx',
      'to Envoy',
      'requests',
      'errors',
      'requests/s',
      ...CLEAN,
    ],
    rows.map((row) => [
      row.name,
      ...cost(row),
      ...[row.ratio, row.toNginx, row.toEnvoy].map(orNothing),
      ...counts(row),
    ]),
  )
}

/** A ratio; empty without the peer it refers to. */
function orNothing(ratio: number): string {
  return Number.isNaN(ratio) ? '' : ratio.toFixed(2)
}

/** The result of `burst` as a table. */
export function burstTable(rows: readonly BurstRow[]): string {
  return table(
    ['proxy', 'CPU µs/request steady', 'in a burst', 'ratio', 'p99 ms steady', 'in a burst', 'errors', 'slow'],
    rows.map(({ name, errors, slow, ...row }) => {
      const costs = [row.steady.toFixed(1), row.burst.toFixed(1), row.ratio.toFixed(2)]
      return [name, ...costs, ...[row.steadyP99, row.burstP99, errors, slow].map(String)]
    }),
  )
}

/** The result of `latency` as a table. */
export function latencyTable(rows: readonly LatencyRow[]): string {
  return table(
    ['proxy', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'slow'],
    rows.map(({ name, rate, p50, p99, errors, slow }) => [name, ...[rate, p50, p99, errors, slow].map(String)]),
  )
}

/** The result of `start` as a table. */
export function startTable(rows: readonly StartRow[]): string {
  return table(
    ['start from', 'units', 'CPU s to ready', 'seconds', 'idle MB'],
    rows.map(({ name, units, ...row }) => [
      name,
      String(units),
      row.cpuSeconds.toFixed(2),
      row.readySeconds.toFixed(2),
      row.idleMegabytes.toFixed(0),
    ]),
  )
}

/** The result of `bulk` as a table. */
export function bulkTable(rows: readonly BulkRow[]): string {
  return table(
    ['1 GB', 'CPU s', 'ratio to bare', 'memory +MB', 'slow'],
    rows.map(({ name, cpuSeconds, ratio, growth, slow }) => [
      name,
      ...[cpuSeconds.toFixed(2), ratio.toFixed(2), growth, slow].map(String),
    ]),
  )
}

/** The result of `tls` as a table. */
export function tlsTable(rows: readonly TlsRow[]): string {
  return table(
    ['TLS', 'CPU µs/request', 'least - most', 'ratio to nginx', 'requests', 'errors', 'requests/s', ...CLEAN],
    rows.map((row) => [row.name, ...cost(row), orNothing(row.ratio), ...counts(row)]),
  )
}

/** The result of `fleet` as a table. */
export function fleetTable({ routes, rows }: FleetResult): string {
  const text = (value: number | null): string => (value === null ? '-' : value.toFixed(2))
  return table(
    [
      `${routes.toLocaleString('en')} routes`,
      'seconds',
      'CPU s of the first gateway',
      'CPU s of the other',
      'CPU s of etcd',
      'KB from etcd',
    ],
    rows.map(({ name, seconds, takerCpu, cpu, etcdCpu, bytes }) => [
      name,
      ...[seconds, takerCpu, cpu, etcdCpu].map(text),
      bytes === null ? '-' : (bytes / 1_000).toFixed(0),
    ]),
  )
}

/** The result of `routes` as a table. */
export function routesTable(rows: readonly RoutesRow[]): string {
  return table(
    ['route', 'loaded in s', 'CPU µs/request', 'least - most', 'ratio', 'requests', 'errors', 'requests/s', ...CLEAN],
    rows.map((row) => [row.name, row.loadSeconds.toFixed(2), ...cost(row), row.ratio.toFixed(2), ...counts(row)]),
  )
}

/** The result of `websocket` as a table. */
export function webSocketTable(rows: readonly WebSocketRow[]): string {
  return table(
    [
      'WebSocket',
      'MB/CPU second',
      'ratio to nginx',
      'CPU µs/message',
      'least - most',
      'messages',
      'errors',
      'messages/s',
      ...CLEAN,
    ],
    rows.map((row) => [
      row.name,
      (row.bytesPerCpuSecond / 1e6).toFixed(1),
      row.ratio.toFixed(2),
      ...cost(row),
      ...counts(row),
    ]),
  )
}

/** The result of a benchmark with a base for each subject, as a table. */
export function comparedTable(title: string, rows: readonly ComparedRow[], base = 'without'): string {
  return table(
    [
      title,
      'CPU µs/request',
      'least - most',
      `ratio to ${base}`,
      'added µs',
      'requests',
      'errors',
      'requests/s',
      ...CLEAN,
    ],
    rows.map((row) => {
      const error = row.ratioError === undefined ? '' : ` ± ${row.ratioError.toFixed(2)}`
      const compared = row.base === null ? ['', ''] : [`${row.ratio.toFixed(2)}${error}`, row.addedMicros.toFixed(1)]
      return [row.name, ...cost(row), ...compared, ...counts(row)]
    }),
  )
}

function cost({ cpuMicros: { median, min, max } }: Measured): string[] {
  return [median.toFixed(1), `${min.toFixed(1)} - ${max.toFixed(1)}`]
}

/** Columns of rounds measured again, and of rounds on a slow machine that are counted nevertheless. */
const CLEAN = ['repeated', 'slow']

function counts({ requests, errors, requestsPerSecond, repeated, slow }: Measured): string[] {
  return [requests, errors, requestsPerSecond.toFixed(0), repeated, slow].map(String)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
