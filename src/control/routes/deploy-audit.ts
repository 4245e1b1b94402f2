import { randomUUID } from 'node:crypto'
import { type ConfigActor, type ConfigChange, changedFields } from '#audit'
import type { RouteSource } from '#contracts'
import { type JsonObject, readDocument } from '#json'
import type { Problem } from '#schema'
import type { ConfigAudit } from '../audit/config-audit.ts'
import type { ServedRoute } from './route-plan.ts'

type Served = ReadonlyMap<string, ServedRoute>

/** Where changes of files come from. */
export interface ChangeOrigin {
  readonly actor: ConfigActor
  readonly protocol: 'FILE' | 'RELEASE'
  readonly detail?: Readonly<Record<string, string>>
}

/** Changes of files have no known author. */
const FILE: ChangeOrigin = { actor: { userId: null, authentication: 'file' }, protocol: 'FILE' }

/** Thousands of files may change at once: no more events than these go to the trail at a time. */
const AT_ONCE = 100

/** The audit of deploys: records changes that came about because files of a folder changed. */
export class DeployAudit {
  readonly #audit: ConfigAudit
  readonly #path: string
  readonly #origin: () => ChangeOrigin
  readonly #waiting: (() => Promise<void>)[] = []
  #writing: Promise<void> | null = null

  /** `path`: that of the routes in the management API, such as `system/objects/_router/routes`. */
  constructor(audit: ConfigAudit, path: string, origin: () => ChangeOrigin = () => FILE) {
    this.#audit = audit
    this.#path = path
    this.#origin = origin
  }

  /** Changed files were deployed. */
  deployed(before: Served, after: Served): void {
    const transactionId = randomUUID()
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(id), after.get(id)]
      if (old?.source.revision !== now?.source.revision) this.#changed(id, old, now, transactionId)
    }
    void this.written()
  }

  /** A file is not served as it is written; `served` is the version served in its place. */
  failed(file: string, id: string, served: ServedRoute | undefined, problems: readonly Problem[]): void {
    const pointers = problems.map(({ pointer }) => pointer)
    this.#add(() => ({
      ...this.#change(id, file, randomUUID()),
      operation: served === undefined ? 'CREATE' : 'UPDATE',
      previousRevision: served?.source.revision ?? null,
      revision: null,
      changedFields: [],
      outcome: { isDone: false, statusCode: null, pointers },
    }))
    void this.written()
  }

  /** Resolves when all changes so far are recorded, or when their records have to wait. */
  written(): Promise<void> {
    if (this.#writing === null && this.#waiting.length > 0) this.#writing = this.#writeAll()
    return this.#writing ?? Promise.resolve()
  }

  #changed(id: string, old: ServedRoute | undefined, now: ServedRoute | undefined, transactionId: string): void {
    const { file } = (now ?? old) as ServedRoute
    this.#add(() => ({
      ...this.#change(id, file, transactionId),
      operation: now === undefined ? 'DELETE' : old === undefined ? 'CREATE' : 'UPDATE',
      previousRevision: old?.source.revision ?? null,
      revision: now?.source.revision ?? null,
      changedFields: changedFields(contentOf(old?.source), contentOf(now?.source)),
      outcome: { isDone: true, statusCode: null, pointers: [] },
    }))
  }

  #change(id: string, file: string, transactionId: string) {
    const { actor, protocol, detail } = this.#origin()
    return { actor, transactionId, objectId: `${this.#path}/${id}`, protocol, detail: { file, ...detail } }
  }

  #add(change: () => ConfigChange): void {
    const moment = this.#audit.moment()
    this.#waiting.push(() => this.#audit.record(change(), moment))
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await Promise.all(this.#waiting.splice(0, AT_ONCE).map((record) => record()))
      }
    } finally {
      this.#writing = null
    }
  }
}

/** Served texts have been read before, with their comments. */
function contentOf(source: RouteSource | undefined): JsonObject {
  if (source === undefined) return {}
  const { _id: _, _rev: __, ...content } = readDocument(source.text).value as JsonObject
  return content
}
