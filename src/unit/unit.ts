import { type AuditService, withSession } from '#contracts'
import { Catalogue, ConfigDocument, type UnitContext } from '#heap'
import type { Handler, TemporaryStorage } from '#http'
import {
  configRevision,
  DEFAULT_CONFIG,
  DEFAULT_OBJECTS,
  type InstanceDirectories,
  loadExtensions,
  RootDocument,
  rootProperties,
  type SystemProperties,
} from '#instance'
import { type JsonObject, readDocument } from '#json'
import type { Logger } from '#logging'
import type { MetricsRegistry } from '#metrics'
import type { CatalogueType, Clock, GatewaySettings, OwnListeners, Problem } from '#schema'
import { auditServiceOf, withRootAudit } from './audit-boundary.ts'
import type { ControlServices } from './control-services.ts'
import { EVENTS } from './log-events.ts'
import type { ObjectEndpoints } from './object-endpoints.ts'
import { ObjectStates } from './object-states.ts'
import type { Routers } from './routers.ts'

/** Input of a unit. */
export interface UnitInput {
  readonly directories: InstanceDirectories
  readonly mode: string
  readonly units: number
  /** Receives the states that objects report; the control plane by default. */
  readonly states?: ObjectStates
  /** Collections of objects for the management API; not served by default. */
  readonly endpoints?: ObjectEndpoints
  /** Settings of admin.json. */
  readonly settings: GatewaySettings
  readonly ownListeners?: OwnListeners
  /** False where the configuration is only checked. */
  readonly serving?: boolean
  /** Whether a check of the configuration also looks up the secrets that objects name. */
  readonly secretsLookedUp?: boolean
  /** Whether a check runs where the secrets are not: objects that can not be created without them are replaced. */
  readonly secretsAbsent?: boolean
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly types: readonly CatalogueType[]
  readonly control: ControlServices
  /** Created before the unit, since deploys for its first routers may arrive while it opens. */
  readonly routers: Routers
  readonly metrics: MetricsRegistry
  readonly logger: Logger
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly system?: SystemProperties
  /** Registers a callback for reloads (SIGHUP). */
  readonly onReload?: UnitContext['onReload']
}

/** The data plane of one thread, without sockets: the root handler and all objects behind it. */
export class Unit {
  readonly handler: Handler
  readonly storage: TemporaryStorage
  readonly routers: Routers
  readonly metrics: MetricsRegistry
  readonly auditService: AuditService | null
  readonly warnings: readonly Problem[]
  readonly #close: () => Promise<void>

  private constructor(
    parts: Pick<Unit, 'handler' | 'storage' | 'routers' | 'metrics' | 'auditService' | 'warnings'> & {
      close: () => Promise<void>
    },
  ) {
    this.handler = parts.handler
    this.storage = parts.storage
    this.routers = parts.routers
    this.metrics = parts.metrics
    this.auditService = parts.auditService
    this.warnings = parts.warnings
    this.#close = parts.close
  }

  /** Builds config.json and the routes of its routers. Throws ConfigError for config.json; invalid routes are reported. */
  static async open(input: UnitInput): Promise<Unit> {
    const { metrics, routers } = input
    const extensions = await loadExtensions(input.directories.extra, input.types)
    const unitContext = contextOf(input, routers, metrics, new Catalogue([...input.types, ...extensions]))
    const json = input.config === null ? DEFAULT_CONFIG : (readDocument(input.config).value as JsonObject)
    const document = await ConfigDocument.decode(RootDocument, json, {
      unitContext,
      parent: null,
      properties: rootProperties(input),
      segments: ['gateway'],
      revision: configRevision(input.config),
      defaults: DEFAULT_OBJECTS,
    })
    return document.buildFor(async ({ handler, temporaryStorage, session, auditService }) => {
      const audit = await auditServiceOf(auditService, document.heap)
      if (input.serving !== false) audit?.serveQueries()
      const main = withSession(
        session,
        await document.decorateMain(handler),
        unitContext.logger,
        EVENTS.SESSION_NOT_SAVED,
      )
      return new Unit({
        handler: withRootAudit(audit, main),
        auditService: audit,
        storage: temporaryStorage,
        routers,
        metrics,
        warnings: document.warnings,
        close: () => document.heap.dispose(),
      })
    })
  }

  /** Retires every route and disposes all objects. */
  close(): Promise<void> {
    return this.#close()
  }
}

function contextOf(input: UnitInput, routers: Routers, metrics: MetricsRegistry, catalogue: Catalogue): UnitContext {
  const states = input.states ?? new ObjectStates((status) => input.control.objectStatus?.(status))
  const unitContext: UnitContext = {
    catalogue,
    logger: input.logger,
    clock: input.clock,
    directories: input.directories,
    units: input.units,
    settings: input.settings,
    variables: input.env,
    ...(input.ownListeners === undefined ? {} : { ownListeners: input.ownListeners }),
    ...(input.units > 1 && input.control.connectionPermits !== undefined
      ? { connectionPermits: input.control.connectionPermits }
      : {}),
    serving: input.serving ?? true,
    secretsLookedUp: input.secretsLookedUp ?? false,
    secretsAbsent: input.secretsAbsent ?? false,
    router: (heap, chain) => routers.host(unitContext, heap, chain, []),
    metrics: () => metrics.open(),
    stateReporter: () => states.open(),
    ...(input.endpoints === undefined
      ? {}
      : { serveEndpoint: (object, endpoint, collection) => input.endpoints!.add(object, endpoint, collection) }),
    ...(input.onReload === undefined ? {} : { onReload: input.onReload }),
    shared: (key, bytes) => input.control.share(key, bytes),
    sharedStore: (space) => input.control.sharedStore(space),
    ...(input.control.openUpstream === undefined ? {} : { openUpstream: (plan) => input.control.openUpstream!(plan) }),
    ...(input.control.openAudit === undefined ? {} : { openAudit: (plan) => input.control.openAudit!(plan) }),
  }
  return unitContext
}
