import { formatCount, journalTargets } from '#audit'
import { AUDIT_MEMORY, type HealthCheck, type OpenedAudit } from '#contracts'
import {
  journalPath,
  orphanedSpools,
  type QueuedRecord,
  type RecordBatch,
  recordsOf,
  unitJournals,
} from '#durable-queue'
import { type Logger, ReplaceableLogger } from '#logging'
import type { AuditPlan, Counter, HandlerPlan, Problem } from '#schema'
import { EVENTS } from '../log-events.ts'
import { exclusiveFiles, type RecordsPassed } from './current-transport.ts'
import { folderConflicts } from './folder-conflicts.ts'
import { HandlerDelivery, type HandlerServices } from './handler-delivery.ts'
import { JournalPause } from './journal-pause.ts'
import { JournalRemoval } from './journal-removal.ts'

/** One audit service of one unit, in one version of its route. */
interface OpenedService {
  readonly owner: object
  plan: AuditPlan
  handlers: readonly (readonly [HandlerPlan, HandlerDelivery])[]
  readonly memory: Int32Array
  /** Number of formats: texts of each event. */
  readonly formats: number
  /** Whether an event has arrived: from then on its handlers have its settings. */
  isUsed: boolean
  /** Whether it is the service of config.json. */
  isQueried: boolean
  /** Number of the last batch in the journals that was taken. */
  lastJournal: number
}

/** Milliseconds in which a handler that is no longer configured delivers its events. */
const CLOSE_LIMIT = 30_000

/** Receives the events of all units and passes them to the event handlers. Handlers of one service are shared by all units. */
export class AuditWriter {
  #services: HandlerServices
  readonly #logger: ReplaceableLogger
  readonly #opened = new Map<number, OpenedService>()
  readonly #handlers = new Map<string, HandlerDelivery>()
  readonly #closing = new Set<Promise<void>>()
  /** Handlers that are no longer configured, and deliver their events. */
  readonly #draining = new Set<HandlerDelivery>()
  readonly #dropped: Counter
  readonly #journals = new JournalRemoval()
  readonly #pause: JournalPause
  /** Directories of spools that were logged. */
  readonly #orphaned = new Set<string>()
  #ids = 0

  constructor(services: Omit<HandlerServices, 'keptMetrics'>) {
    this.#logger = new ReplaceableLogger(services.logger)
    const keptMetrics = services.openMetrics()
    this.#services = { ...services, logger: this.#logger, keptMetrics }
    const help = 'Audit events that a unit dropped, since the control thread did not read them in time.'
    this.#dropped = keptMetrics.counter('gw_audit_unread_total', help)
    this.#pause = new JournalPause({
      logger: this.#logger,
      clock: services.clock,
      directories: () =>
        [...this.#opened.values()].flatMap(({ plan }) => journalTargets(plan).map(({ directory }) => directory)),
    })
  }

  /** All handlers log to this logger from now on: admin.json, which configures it, opens its own handlers earlier. */
  logTo(logger: Logger): void {
    this.#logger.replace(logger)
  }

  /** Opens the handlers of a service for a unit; problems where another service writes to one of its folders. */
  open(owner: object, plan: AuditPlan): OpenedAudit | { readonly problems: readonly Problem[] } {
    const problems = folderConflicts(
      plan,
      [...this.#opened.values()].map((opened) => opened.plan),
    )
    if (problems.length > 0) return { problems }
    const memory = new SharedArrayBuffer(AUDIT_MEMORY.bytes)
    const handlers = plan.handlers.map((handler) => [handler, this.#handler(plan.service, handler)] as const)
    for (const [, delivery] of handlers) delivery.users++
    const id = ++this.#ids
    this.#opened.set(id, {
      owner,
      plan,
      handlers,
      memory: new Int32Array(memory),
      formats: formatCount(plan),
      isUsed: false,
      isQueried: false,
      lastJournal: 0,
    })
    this.#updateFull()
    return { id, memory, journals: this.#pause.memory }
  }

  /** `journal` is the number of the batch in the journals of its service, where it is there. */
  take(id: number, batch: RecordBatch, dropped: number, journal: number | null = null): void {
    const service = this.#opened.get(id)
    if (service === undefined) return
    if (dropped > 0) this.#dropped.add(dropped)
    if (!service.isUsed) {
      service.isUsed = true
      for (const [plan, delivery] of service.handlers) delivery.use(service.plan.service, plan, id)
    }
    const { formats, handlers, memory } = service
    const safety: ReturnType<HandlerDelivery['safety']>[] = []
    for (const [plan, delivery] of handlers) {
      const isAdded = delivery.add(recordsOf(batch, formats, plan))
      if (isAdded && plan.queue.spool !== null) safety.push(delivery.safety())
    }
    Atomics.add(memory, AUDIT_MEMORY.eventsRead, batch.length)
    if (journal === null) return
    service.lastJournal = journal
    const paths = journalTargets(service.plan).map((target) => journalPath(target, id, journal))
    this.#journals.add({ paths, bytes: batch.bytes.length, safety })
  }

  /** A unit can not write its journal. */
  journalFailed(id: number, problem: string): void {
    this.#pause.begin(this.#opened.get(id)?.plan.service ?? '', problem)
  }

  /** Sends later batches with changed secrets, keys and trust. */
  renew(id: number, plan: AuditPlan): void {
    const service = this.#opened.get(id)
    if (service === undefined) return
    const { document } = service.plan
    service.plan = { ...plan, ...(document !== undefined && { document }) }
    service.handlers = service.handlers.map(([before, delivery], at) => [plan.handlers[at] ?? before, delivery])
    for (const [handler, delivery] of service.handlers) delivery.use(plan.service, handler, id)
  }

  /** `/api/audit/<topic>` queries this service from now on. */
  serveQueries(id: number): void {
    const service = this.#opened.get(id)
    if (service !== undefined) service.isQueried = true
  }

  /** The service of config.json, as the unit that opened it last has it; null without one. */
  get queriedService(): AuditPlan | null {
    return [...this.#opened.values()].findLast(({ isQueried }) => isQueried)?.plan ?? null
  }

  get checks(): HealthCheck[] {
    const { check: journals } = this.#pause
    return [...[...this.#deliveries].map(({ check }) => check), ...(journals === null ? [] : [journals])]
  }

  /** A handler whose service was renamed has two keys while both versions of its route have requests. */
  get #deliveries(): ReadonlySet<HandlerDelivery> {
    return new Set(this.#handlers.values())
  }

  close(id: number): void {
    const service = this.#opened.get(id)
    if (service === undefined) return
    this.#opened.delete(id)
    for (const [, delivery] of service.handlers) {
      if (--delivery.users > 0) continue
      for (const [key, handler] of this.#handlers) if (handler === delivery) this.#handlers.delete(key)
      this.#close(delivery)
    }
  }

  /** A unit has ended, with all services that it opened: those that are still open were not closed in order. */
  closeAll(owner: object): void {
    for (const [id, service] of [...this.#opened]) {
      if (service.owner !== owner) continue
      if (journalTargets(service.plan).length === 0) this.close(id)
      else {
        this.#pause.ended(service.plan.service, id)
        this.#track(this.#takeJournals(id, service))
      }
    }
  }

  /** Logs each spool in the folder whose events no handler sends, once. For a time at which all audit services are open. */
  async logOrphanedSpools(folder: string): Promise<void> {
    const targets = [...this.#opened.values()].flatMap(({ plan }) => journalTargets(plan))
    const used = new Set(targets.map(({ directory }) => directory))
    for await (const { directory, bytes } of orphanedSpools(folder, used)) {
      if (this.#orphaned.has(directory)) continue
      this.#orphaned.add(directory)
      this.#logger.warn({ directory, bytes }, EVENTS.AUDIT_SPOOL_ORPHANED)
    }
  }

  /** Events of a process that this one has taken over from; false where no handler of this one writes these files. */
  takeRecords(files: string, records: readonly QueuedRecord[]): boolean {
    for (const { handlers } of this.#opened.values()) {
      const found = handlers.find(([plan]) => exclusiveFiles(plan.transport) === files)
      if (found === undefined) continue
      found[1].add(records)
      return true
    }
    return false
  }

  /** Closes the files that only one process may write; their events are passed on, also those of handlers that are opened later. */
  async handOver(pass: RecordsPassed): Promise<void> {
    this.#services = { ...this.#services, pass }
    await Promise.all([...this.#deliveries].map((handler) => handler.handOver(pass)))
  }

  async reopen(): Promise<void> {
    await Promise.all([...this.#deliveries].map((handler) => handler.reopen()))
  }

  /** Delivers or spools everything within the limit. */
  async shutdown(limit: number): Promise<void> {
    this.#pause.close()
    const handlers = [...this.#deliveries]
    this.#handlers.clear()
    this.#opened.clear()
    await Promise.all([...handlers, ...this.#draining].map((handler) => handler.close(limit)))
    await Promise.all(this.#closing)
    await this.#journals.close()
  }

  /** Takes the events of a unit that has ended before it sent them, and closes its service. */
  async #takeJournals(id: number, { handlers, lastJournal }: OpenedService): Promise<void> {
    for (const [{ queue, name }, delivery] of handlers) {
      if (queue.spool === null) continue
      try {
        for await (const { records, paths, bytes } of unitJournals(queue.spool.directory, id, lastJournal)) {
          // The next process delivers them where this one ends.
          if (!this.#opened.has(id)) return
          delivery.add(records)
          this.#journals.add({ paths, bytes, safety: [delivery.safety()] })
        }
      } catch (error) {
        this.#logger.error({ error, handler: name }, EVENTS.AUDIT_JOURNAL_UNREADABLE)
      }
    }
    this.close(id)
  }

  #handler(service: string, plan: HandlerPlan): HandlerDelivery {
    const key = handlerKey(service, plan)
    const known = [this.#writerOf(plan), this.#handlers.get(key)]
    const handler =
      known.find((each) => each !== undefined && this.#mayServe(each, service, plan)) ??
      new HandlerDelivery(service, plan, this.#services, () => this.#updateFull())
    // A reload may have added a topic.
    handler.exposeCounts(plan.topics)
    this.#handlers.set(key, handler)
    return handler
  }

  /** The handler that writes to the folder for another service, or for the version that is replaced. */
  #writerOf({ name, transport: { exclusive } }: HandlerPlan): HandlerDelivery | undefined {
    if (exclusive === undefined) return undefined
    for (const { handlers } of this.#opened.values()) {
      const found = handlers.find(([other]) => other.transport.exclusive === exclusive && other.name === name)
      if (found !== undefined) return found[1]
    }
    return undefined
  }

  /** Whether a handler may write to the folder of a plan: not where another service has it for its own folder. */
  #mayServe(delivery: HandlerDelivery, service: string, { transport: { exclusive } }: HandlerPlan): boolean {
    return ![...this.#opened.values()].some(
      ({ plan, handlers }) =>
        plan.service !== service &&
        handlers.some(([other, used]) => used === delivery && other.transport.exclusive !== exclusive),
    )
  }

  #close(delivery: HandlerDelivery): void {
    const onError = (error: unknown) => this.#services.logger.error({ error }, EVENTS.AUDIT_HANDLER_NOT_CLOSED)
    this.#draining.add(delivery)
    this.#track(
      delivery
        .close(CLOSE_LIMIT)
        .catch(onError)
        .finally(() => this.#draining.delete(delivery)),
    )
  }

  #track(work: Promise<void>): void {
    const closed = work.then(() => void this.#closing.delete(closed))
    this.#closing.add(closed)
  }

  /** Writes to the memory shared with units whether requests have to wait. */
  #updateFull(): void {
    for (const { handlers, memory } of this.#opened.values()) {
      const isFull = handlers.some(([{ queue }, delivery]) => queue.onFull === 'block' && delivery.isFull)
      Atomics.store(memory, AUDIT_MEMORY.full, isFull ? 1 : 0)
      if (!isFull) Atomics.notify(memory, AUDIT_MEMORY.full)
    }
  }
}

/**
 * Handlers with equal keys share a queue, over units and versions of a route. Other bounds are another queue, except for a folder that
 * one writer alone may use: its queue keeps its bounds until the gateway restarts.
 */
function handlerKey(service: string, { name, transport, queue }: HandlerPlan): string {
  return JSON.stringify([service, name, transport.type, transport.exclusive === undefined ? queue : null])
}
