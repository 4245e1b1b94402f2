import { Catalogue, ConfigDocument, type UnitContext } from '#heap'
import { isPlainObject, type JsonObject } from '#json'
import type { Logger } from '#logging'
import { type CatalogueType, defaultSettings, type Problem, systemClock, unavailableStore } from '#schema'
import { AdminDocument } from './admin-document.ts'
import { ADMIN_DEFAULTS } from './default-objects.ts'
import { type InstanceDirectories, instanceDirectories } from './directories.ts'
import { checkInstanceVersion } from './instance-version.ts'
import type { SystemProperties } from './system-properties.ts'
import { rootProperties, runMode } from './tokens.ts'
import { withTransactionProperty } from './transaction-property.ts'

/** Input of admin.json. */
export interface AdminInput {
  readonly instance: string
  /** The state directory; null where files are written to the instance. */
  readonly state?: string | null
  readonly types: readonly CatalogueType[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** System properties of the command line. */
  readonly system?: SystemProperties
  readonly logger: Logger
  /** `unknownFields` of admin.json itself. */
  readonly unknownFields?: 'error' | 'warn'
  /** False where the configuration is only checked. */
  readonly serving?: boolean
  /** Whether a check of the configuration also looks up the secrets that objects name. */
  readonly secretsLookedUp?: boolean
  /** Whether a check runs where the secrets are not: objects that can not be created without them are replaced. */
  readonly secretsAbsent?: boolean
  /** Metrics of objects; not recorded by default. */
  readonly metrics?: UnitContext['metrics']
  /** Opens the event handlers of audit services; events are discarded by default. */
  readonly openAudit?: NonNullable<UnitContext['openAudit']>
  /** The store of objects, such as sessions; calls fail by default. */
  readonly sharedStore?: UnitContext['sharedStore']
  /** Where objects report their states. */
  readonly stateReporter?: NonNullable<UnitContext['stateReporter']>
}

/** admin.json with its objects; each thread that needs them builds its own. */
interface BuiltAdmin {
  readonly fields: Awaited<ReturnType<typeof build>>['fields']
  readonly warnings: readonly Problem[]
  /** Fields whose filter is given by an older name. */
  readonly olderProtections: ReadonlySet<ProtectionField>
  /** Its objects read their files again. */
  reload(): void
  dispose(): Promise<void>
}

/** Decodes and settles admin.json. Throws ConfigError with every problem. */
export function buildAdmin(json: JsonObject, input: AdminInput): Promise<BuiltAdmin> {
  return build(json, input)
}

async function build(json: JsonObject, input: AdminInput) {
  checkInstanceVersion(json)
  const { instance, state = null, env, system = {}, logger } = input
  const directories = instanceDirectories(instance, { state })
  const mode = runMode(env, system)
  const reloads = new Set<() => void>()
  const unknownFields = json['unknownFields'] === 'warn' ? 'warn' : 'error'
  const unitContext = adminContext({ ...input, unknownFields }, directories, reloads)
  const named = withNamedFilters(json)
  const document = await ConfigDocument.decode(AdminDocument, withTransactionProperty(named.json, system), {
    unitContext,
    parent: null,
    properties: rootProperties({ directories, mode, env, system, clock: unitContext.clock, logger }),
    segments: ['admin'],
    revision: 'admin',
    defaults: ADMIN_DEFAULTS,
  })
  return {
    fields: await document.build(),
    warnings: [...named.warnings, ...document.warnings],
    olderProtections: named.older,
    reload: () => {
      for (const refresh of [...reloads]) refresh()
    },
    dispose: () => document.heap.dispose(),
  }
}

/** Fields of admin.json with a filter that protects a part of the management API. */
export type ProtectionField = 'adminProtection' | 'metricsProtection' | 'studioProtection'

/** Filters that protect the parts of the management API by their name in the heap, as in OpenIG and IG. */
const NAMED_FILTERS: readonly (readonly [name: string, field: ProtectionField, old: string])[] = [
  ['ApiProtectionFilter', 'adminProtection', 'apiProtectionFilter'],
  ['MetricsProtectionFilter', 'metricsProtection', 'metricsProtectionFilter'],
  ['StudioProtectionFilter', 'studioProtection', 'studioProtectionFilter'],
]

/** Sets the fields of filters that the heap declares under those names, unless the fields are given. */
function withNamedFilters(json: JsonObject): {
  readonly json: JsonObject
  readonly warnings: readonly Problem[]
  readonly older: ReadonlySet<ProtectionField>
} {
  const heap = Array.isArray(json['heap']) ? json['heap'] : []
  const names = heap.map((each) => (isPlainObject(each) ? each['name'] : null))
  const used = NAMED_FILTERS.filter(
    ([name, field, old]) => names.includes(name) && json[field] === undefined && json[old] === undefined,
  )
  const older = NAMED_FILTERS.filter(([, field, old]) => json[field] === undefined && json[old] !== undefined)
  return {
    older: new Set([...used, ...older].map(([, field]) => field)),
    json: { ...json, ...Object.fromEntries(used.map(([name, field]) => [field, name])) },
    warnings: used.map(([name, field]) => ({
      pointer: `/heap/${names.indexOf(name)}/name`,
      message: `${name} protects by its name, which is deprecated; set ${field} to "${name}"`,
    })),
  }
}

const NOTHING = { add: () => {}, set: () => {}, observe: () => {} }
const NO_METRICS: ReturnType<UnitContext['metrics']> = {
  counter: () => NOTHING,
  gauge: () => NOTHING,
  summary: () => NOTHING,
  reading: () => {},
  release: () => {},
}

function adminContext(input: AdminInput, directories: InstanceDirectories, reloads: Set<() => void>): UnitContext {
  const { types, logger, serving = true, secretsLookedUp = false, secretsAbsent = false } = input
  return {
    catalogue: new Catalogue(types),
    logger,
    clock: systemClock,
    directories,
    units: 1,
    settings: { ...defaultSettings(), unknownFields: input.unknownFields ?? 'error' },
    variables: input.env,
    serving,
    secretsLookedUp,
    secretsAbsent,
    router: () => ({
      openRouter: () => Promise.reject(new Error('routes belong to config.json; admin.json can hold no Router')),
    }),
    metrics: input.metrics ?? (() => NO_METRICS),
    ...(input.stateReporter === undefined ? {} : { stateReporter: input.stateReporter }),
    ...(input.openAudit === undefined ? {} : { openAudit: input.openAudit }),
    onReload: (refresh) => {
      reloads.add(refresh)
      return () => reloads.delete(refresh)
    },
    sharedStore:
      input.sharedStore ?? (() => unavailableStore('the objects of admin.json have no store in this thread')),
    shared: async (_key, bytes) => ({ memory: new SharedArrayBuffer(bytes), release: () => {} }),
  }
}
