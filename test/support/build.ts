import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyValueStore } from '#control'
import { baseScope } from '#expression'
import { Catalogue, Heap, Properties, type UnitContext } from '#heap'
import type { JsonValue } from '#json'
import { createLogger, memoryLog } from '#logging'
import {
  type Clock,
  defaultSettings,
  type GatewaySettings,
  type Kind,
  type Metrics,
  type ObjectEndpoint,
  type Reading,
  type RouterHost,
  systemClock,
  type TypeDefinition,
} from '#schema'
import { NoProxyOptions } from '../../src/objects/proxies/no-proxy-options/no-proxy-options.ts'

/** A clock that tests advance. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void
}

/** A clock that changes only when a test advances it. */
export function manualClock(start = 1_700_000_000_000): ManualClock {
  let time = start
  return {
    now: () => time,
    monotonic: () => time - start,
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}

/** Metrics of objects under test, by name. */
export class TestMetrics implements Metrics {
  readonly values = new Map<string, number>()

  release(): void {}

  #change(name: string, amount: number): void {
    this.values.set(name, (this.values.get(name) ?? 0) + amount)
  }

  counter(name: string) {
    return { add: (amount = 1) => this.#change(name, amount) }
  }

  gauge(name: string) {
    return {
      add: (amount: number) => this.#change(name, amount),
      set: (value: number) => void this.values.set(name, value),
    }
  }

  /** Callbacks of observed gauges, by name. */
  readonly readings = new Map<string, Reading>()

  reading(name: string, _help: string, reading: Reading): void {
    this.readings.set(name, reading)
  }

  summary(name: string) {
    return { observe: (value: number) => this.#change(name, value) }
  }
}

/** The environment of an object under test. */
export interface BuildOptions {
  readonly clock?: Clock
  /** Further object types that the configuration uses. */
  readonly types?: readonly TypeDefinition[]
  /** Further heap objects, as a user would write them. */
  readonly heap?: readonly JsonValue[]
  readonly properties?: JsonValue
  readonly env?: Readonly<Record<string, string>>
  /** Keys beside name, type and config: decorations. */
  readonly decorations?: Readonly<Record<string, JsonValue>>
  readonly units?: number
  /** Memory shared by objects of the same name, by key: the same map for the units of one gateway. */
  readonly shared?: Map<string, SharedArrayBuffer>
  /** Settings of admin.json that are not the defaults. */
  readonly settings?: Partial<GatewaySettings>
  readonly router?: RouterHost
  /** Receives the events of audit services; they are discarded by default. */
  readonly openAudit?: NonNullable<UnitContext['openAudit']>
  readonly name?: string
}

/** A built object with its log, metrics and states. */
export interface Built<T> extends AsyncDisposable {
  readonly object: T
  readonly heap: Heap
  readonly metrics: TestMetrics
  readonly log: ReturnType<typeof memoryLog>
  readonly warnings: readonly string[]
  /** States that objects reported, in order. */
  readonly states: readonly string[]
  /** Collections that objects serve in the management API, by endpoint. */
  readonly endpoints: ReadonlyMap<string, ObjectEndpoint>
  readonly directory: string
}

/** Builds one object from JSON as a user writes it, at /heap/0. */
export async function build<T>(
  definition: TypeDefinition & { readonly kind: Kind | null },
  config: JsonValue,
  options: BuildOptions = {},
): Promise<Built<T>> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'))
  const log = memoryLog()
  const metrics = new TestMetrics()
  const types = [definition, ...(options.types ?? [])]
  const standing = standingFor(types, options)
  const states: string[] = []
  const endpoints = new Map<string, ObjectEndpoint>()
  const unitContext: UnitContext = {
    ...testUnitContext(directory, [...types, ...standing.types], options, log, metrics),
    ...(options.openAudit === undefined ? {} : { openAudit: options.openAudit }),
    serveEndpoint: (_, endpoint, collection) => {
      endpoints.set(endpoint, collection)
      return () => endpoints.delete(endpoint)
    },
    stateReporter: () => ({
      report: ({ state, detail }) => void states.push(`${state}: ${detail}`),
      withdraw: () => {},
    }),
  }
  const root = Properties.root(
    baseScope({
      env: options.env ?? {},
      system: {},
      now: () => unitContext.clock.now(),
      gateway: { instanceDirectory: directory, configDirectory: directory, temporaryDirectory: directory },
    }),
    () => undefined,
  )
  const name = options.name ?? 'object'
  const heap = new Heap({
    unitContext,
    parent: null,
    segments: ['gateway'],
    properties: root.extend(options.properties ?? null),
    declarations: [
      { name, type: definition.name, config, ...options.decorations },
      ...(options.heap ?? []),
      ...standing.heap,
    ] as JsonValue,
    globalDecorators: null,
    revision: '1',
  })
  const dispose = async () => {
    await heap.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await heap.buildAll()
  } catch (error) {
    await dispose()
    throw error
  }
  const object = (await heap.find(name, definition.kind as Kind<T>)) as T
  const warnings = heap.warnings.map(({ pointer, message }) => `${pointer}: ${message}`)
  return { object, heap, metrics, log, warnings, states, endpoints, directory, [Symbol.asyncDispose]: dispose }
}

/** Heap objects that handlers with upstream requests need. */
function standingFor(types: readonly TypeDefinition[], { heap = [] }: BuildOptions) {
  const isSending = types.some(({ name }) => name === 'ReverseProxyHandler' || name === 'ClientHandler')
  const isDeclared = heap.some((each) => (each as { name?: unknown } | null)?.name === 'ProxyOptions')
  if (!isSending || isDeclared) return { types: [], heap: [] }
  return { types: [NoProxyOptions], heap: [{ name: 'ProxyOptions', type: 'NoProxyOptions' }] }
}

/** The unit context of objects under test. */
export function testUnitContext(
  directory: string,
  types: readonly TypeDefinition[],
  options: BuildOptions,
  log: ReturnType<typeof memoryLog>,
  metrics: TestMetrics,
): UnitContext {
  const shared = options.shared ?? new Map<string, SharedArrayBuffer>()
  const store = new KeyValueStore(options.clock ?? systemClock)
  return {
    catalogue: new Catalogue([...new Set(types)]),
    logger: createLogger({
      level: 'debug',
      format: 'json',
      destination: log,
      now: () => (options.clock ?? systemClock).monotonic(),
    }),
    clock: options.clock ?? systemClock,
    directories: {
      instance: directory,
      config: join(directory, 'config'),
      scripts: join(directory, 'scripts'),
      secrets: join(directory, 'secrets'),
      temporary: directory,
      writable: directory,
      logs: join(directory, 'logs'),
    },
    units: options.units ?? 1,
    settings: { ...defaultSettings(), ...options.settings },
    variables: options.env ?? {},
    router: () => options.router ?? { openRouter: () => Promise.reject(new Error('no router in this test')) },
    metrics: () => metrics,
    sharedStore: (space) => store.space(space),
    shared: async (key, bytes) => {
      const memory = shared.get(key) ?? new SharedArrayBuffer(bytes)
      shared.set(key, memory)
      return { memory, release: () => {} }
    },
  }
}
