import { AdminCallerContext } from '#contracts'
import { type Call, Refusal, type Resource } from '#crest'
import { nameProblem } from '#files'
import { routeIdentity } from '#instance'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { type AuditedState, recordChange } from '../../audit/change-recorder.ts'
import type { EditOutcome, RouteEdit } from '../../routes/edits.ts'
import { fileRevision, type RouteFile, sourceRevision } from '../../routes/route-files.ts'
import { refusalOfWrite } from '../../routes/write-refusal.ts'
import { describe, edit, notLoaded, restored } from './route-content.ts'
import { contentOf, fileOf, idIn, type RouteSources, routeResource } from './route-resources.ts'

/** File names that routers read; without path separators. */
const FILE_NAME = /^[^./\\\0][^/\\\0]{0,199}\.json$/

/** How often an edit is decided again because others changed the file in the store. */
const CONFLICT_TRIES = 5

/** Changes routes in the two phases of a deploy: each change is checked, built, written and swapped in, or rejected. */
export class RouteEditor {
  readonly #sources: RouteSources
  readonly #logger: Logger

  constructor(sources: RouteSources, logger: Logger) {
    this.#sources = sources
    this.#logger = logger
  }

  create(call: Call, id: string, content: JsonObject): Promise<Resource | Refusal> {
    const { store } = this.#sources
    return this.#run(call, 'create', id, () => {
      const file = `${id}.json`
      const refused = refusedId(id)
      if (refused !== null) return refused
      store.files.reread(file)
      return this.#clash(id) ?? edit(file, id, content)
    })
  }

  update(call: Call, id: string, content: JsonObject, revision: string | null): Promise<Resource | Refusal> {
    return this.#run(call, 'update', id, () => {
      const current = this.#current(id, revision)
      return current instanceof Refusal ? current : edit(current.file, id, content)
    })
  }

  async delete(call: Call, id: string, revision: string | null): Promise<Resource | Refusal> {
    let deleted: Resource | null = null
    const done = await this.#run(call, 'delete', id, () => {
      const current = this.#current(id, revision)
      if (current instanceof Refusal) return current
      deleted = routeResource(current, this.#sources)
      return { file: current.file, next: null }
    })
    return done instanceof Refusal ? done : (deleted as unknown as Resource)
  }

  /** Restores an earlier text of a route; a deleted route is restored under its former file name. */
  restore(call: Call, id: string, before: { file: string; text: string }): Promise<Resource | Refusal> {
    return this.#run(call, 'rollback', id, () => {
      const current = this.#current(id, null)
      if (!(current instanceof Refusal)) return restored(current.file, id, before.text)
      // File names from the history are validated: they must not leave the folder.
      const file = FILE_NAME.test(before.file) ? before.file : `${id}.json`
      this.#sources.store.files.reread(file)
      return refusedId(id) ?? this.#clash(id, file) ?? restored(file, id, before.text)
    })
  }

  /** Dry run of a change of a route. */
  async problems(id: string, content: JsonObject): Promise<readonly JsonObject[] | Refusal> {
    const known = fileOf(this.#sources.store, id)
    const refused = known === null ? (refusedId(id) ?? this.#clash(id)) : null
    if (refused !== null) return [{ pointer: '/_id', message: refused.message.replace(/^_id: /, '') }]
    const file = known?.file ?? `${id}.json`
    let written: RouteFile | null = null
    const outcome = await this.#sources.store.edit(() => {
      const decided = edit(file, id, content)
      if (decided instanceof Refusal) return { answer: decided }
      written = decided.isText ? decided.next : null
      return { ...decided, openDryRun: true }
    })
    if ('answer' in outcome) return problemsIn(outcome.answer)
    if (outcome.state === 'refused') return outcome.problems.map((problem) => describe(problem, written))
    if (outcome.state === 'taken') return [describe(outcome.problem, written)]
    return outcome.state === 'done' ? [] : (refusalOf(outcome, null) as Refusal)
  }

  /** Why a new route can not have this id: it is in use, or differs only by case, which some file systems ignore. */
  #clash(id: string, file = `${id}.json`): Refusal | null {
    const { store } = this.#sources
    const same = id.toLowerCase()
    const clash = [...store.files.all.values()].find((other) => {
      return idIn(store, other).toLowerCase() === same || other.file.toLowerCase() === file.toLowerCase()
    })
    if (clash === undefined) return null
    if (idIn(store, clash) === id) return new Refusal(412, 'there is a route of this id already')
    return new Refusal(409, 'another route has this file, or an id that differs from this one by case only')
  }

  /** The current file of a route, if it has the expected revision. */
  #current(id: string, revision: string | null): RouteFile | Refusal {
    const { store } = this.#sources
    const known = fileOf(store, id)
    const current = known === null ? null : store.files.reread(known.file)
    if (current === null || idIn(store, current) !== id) return new Refusal(404, 'there is no route of this id')
    const revisions = [null, fileRevision(current), sourceRevision(current)]
    if (revisions.includes(revision)) return current
    return new Refusal(412, 'the route has another revision now; read it again')
  }

  async #run(
    call: Call,
    operation: string,
    id: string,
    decide: () => RouteEdit | Refusal,
  ): Promise<Resource | Refusal> {
    const { store } = this.#sources
    const { client, transactionId } = call.exchange
    const user = call.exchange.context(AdminCallerContext)?.userId ?? null
    const by = {
      operation,
      ...(user !== null && { user }),
      client: client.remoteAddress,
      transactionId: transactionId.value,
    }
    let before: RouteFile | null = null
    let after: RouteFile | null = null
    let written: RouteFile | null = null
    const edited = () =>
      store.edit(() => {
        const decided = decide()
        if (decided instanceof Refusal) return { answer: decided }
        before = store.files.all.get(decided.file) ?? null
        after = decided.next
        written = decided.isText ? decided.next : null
        return { ...decided, id, by }
      })
    let outcome = await edited()
    // Another gateway may have made the version that the caller knows.
    if (isStale(outcome) && (await store.catchUp())) outcome = await edited()
    for (let tries = 1; isConflict(outcome) && tries < CONFLICT_TRIES; tries++) {
      await store.catchUp()
      outcome = await edited()
    }
    const refusal = 'answer' in outcome ? outcome.answer : refusalOf(outcome, written)
    if (refusal !== null) return refusal
    const [old, now] = [before as RouteFile | null, after as RouteFile | null]
    recordChange(call.exchange, { id, before: old && audited(old), after: now && audited(now) })
    this.#logChange(call, operation, id, now ?? (old as RouteFile))
    return routeResource(now ?? (old as RouteFile), this.#sources)
  }

  /** Logs the change with caller, operation and revision. */
  #logChange({ exchange }: Call, operation: string, route: string, file: RouteFile): void {
    const { client, transactionId } = exchange
    const fields = {
      operation,
      route,
      user: exchange.context(AdminCallerContext)?.userId ?? undefined,
      revision: fileRevision(file),
      client: client.remoteAddress,
      transactionId: transactionId.value,
    }
    this.#logger.info(fields, 'route changed over the management API')
  }
}

/** Whether the edit was refused because of the version of the route, or since there is no such route. */
function isStale(outcome: EditOutcome | { readonly answer: Refusal }): boolean {
  return 'answer' in outcome && (outcome.answer.status === 412 || outcome.answer.status === 404)
}

/** Whether the file was changed after the edit was decided; it is decided again on the changed one. */
function isConflict(outcome: EditOutcome | { readonly answer: unknown }): boolean {
  return 'state' in outcome && outcome.state === 'not-stored' && outcome.outcome.state === 'conflict'
}

function audited(file: RouteFile): AuditedState {
  return { revision: fileRevision(file), content: contentOf(file) }
}

function refusedId(id: string): Refusal | null {
  const identity = routeIdentity('route.json', { _id: id })
  if ('message' in identity) return new Refusal(400, `_id: ${identity.message}`)
  // As a key of an object it would set the prototype (threats B76).
  if (id === '__proto__') return new Refusal(400, '_id: "__proto__" can not be the id of a route')
  // The folder may be read on other systems too (threats B75).
  const problem = nameProblem(`${id}.json`)
  return problem === null ? null : new Refusal(400, `_id: ${problem}`)
}

function problemsIn({ detail, message }: Refusal): readonly JsonObject[] {
  const found = (detail as { problems?: JsonObject[] } | undefined)?.problems
  return found ?? [{ pointer: '', message }]
}

const READ_ONLY = new Refusal(
  403,
  'the instance is read-only; change the route file where the instance comes from. Nothing has changed',
)

/** `written`: the text of the author, for positions in it. */
function refusalOf(outcome: EditOutcome, written: RouteFile | null): Refusal | null {
  switch (outcome.state) {
    case 'done':
      return null
    case 'taken':
      return new Refusal(409, outcome.problem.message, { detail: { problems: [describe(outcome.problem, written)] } })
    case 'refused':
      return notLoaded(outcome.problems, written)
    case 'unavailable':
      return new Refusal(503, 'no unit is there to build the route; try again', { headers: { 'Retry-After': '5' } })
    case 'read-only':
      return READ_ONLY
    case 'not-stored':
      return refusalOfWrite(outcome.outcome)
    case 'unwritten':
      // The error code only: the message has the path (threats B86).
      return new Refusal(
        503,
        `the route could not be written (${outcome.error.code ?? 'unknown error'}); nothing has changed`,
      )
  }
}
