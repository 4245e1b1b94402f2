import { AdminCallerContext } from '#contracts'
import { type Action, type Call, type Collection, listResources, PageCookies, Refusal, type Resource } from '#crest'
import { EtcdError } from '#etcd'
import type { JsonObject } from '#json'
import { type EtcdReleases, ReleaseError, type ReleaseOutcome } from '#releases'
import { recordChange } from '../../audit/change-recorder.ts'
import type { CopiedRelease } from '../copied-release.ts'
import type { Fleet } from '../fleet.ts'
import type { ReleaseMaking } from '../release-making.ts'
import { contentsAction, filesAction } from './release-contents.ts'
import { invalidRelease, type ReleaseRequest, releaseRequest } from './release-request.ts'
import { FLEET_DESCRIPTIONS, releasesDescription } from './releases-descriptions.ts'
import { outcomeRefusal, storeRefusal } from './store-refusal.ts'

type ListedRelease = Awaited<ReturnType<EtcdReleases['list']>>['releases'][number]

/** More than `keepReleases` may be. */
const MOST_LISTED = 10_100

/** The releases of the store as a Common REST collection (decisions 12). */
export function releasesCollection(fleet: Fleet, making: ReleaseMaking): Collection {
  const cookies = new PageCookies()
  const changed = async (call: Call, outcome: ReleaseOutcome): Promise<Resource | Refusal> => {
    const refusal = outcomeRefusal(outcome)
    if (refusal !== null) return refusal
    const { release } = outcome as { release: number }
    const found = await releaseOf(fleet, release)
    if (found instanceof Refusal) return found
    if (outcome.state === 'unchanged') return { ...found, content: { ...found.content, unchanged: true } }
    const { content } = found
    recordChange(call.exchange, { id: found.id, before: null, after: { revision: found.id, content } })
    return found
  }
  const onRelease = (
    name: 'deploy' | 'promote' | 'drop',
    run: (call: Call, number: number) => Promise<ReleaseOutcome>,
  ): Action => ({
    ...FLEET_DESCRIPTIONS.actions[name],
    run: async (call, { id }) => {
      const number = numberIn(id as string)
      if (number === null) return NO_RELEASE
      const outcome = await run(call, number)
      if (outcome.state === 'done' && outcome.release !== undefined) await fleet.onReleaseCreated()
      const done = await changed(call, outcome)
      return done instanceof Refusal ? done : { _id: done.id, ...done.content }
    },
  })
  const local = () => ({ local: fleet.copy.newest })
  return {
    kind: 'collection',
    description: releasesDescription(fleet.settings.store.maxReleaseSize),
    create: async (call, _, content) => {
      const request = releaseRequest(content)
      if (request instanceof Refusal) return request
      const files = await resolved(fleet, request)
      if (files instanceof Refusal) return files
      const { note, only, parent } = request
      const made = await making.make({ files, only, parent, by: { author: authorOf(call), note } })
      if ('problems' in made) return invalidRelease(made.problems)
      if ('unavailable' in made) return new Refusal(503, made.unavailable, { headers: { 'Retry-After': '5' } })
      return changed(call, made)
    },
    read: (_, id) =>
      readable(async () => {
        const number = numberIn(id)
        return number === null ? NO_RELEASE : releaseOf(fleet, number)
      }),
    query: (_, query) =>
      readable(async () => {
        const releases = await listed(fleet)
        return listResources(releases, query, { cookies, naturalOrder: ({ id }) => orderOf(id) })
      }),
    actions: { adopt: adoptAction(fleet) },
    resourceActions: {
      deploy: onRelease('deploy', (call, number) =>
        fleet.releases.deployAgain(number, { author: authorOf(call), note: `roll back to ${number}` }, local()),
      ),
      promote: onRelease('promote', (_, number) => fleet.releases.promote(number, local())),
      drop: onRelease('drop', (_, number) => fleet.releases.drop(number, local())),
      files: filesAction(fleet),
      contents: contentsAction(fleet),
    },
  }
}

const NO_RELEASE = new Refusal(404, 'there is no release of this number')

/** The store as it is becomes the truth for the gateway that gets the request. */
function adoptAction(fleet: Fleet): Action {
  return {
    ...FLEET_DESCRIPTIONS.actions.adopt,
    run: (call, { body }) =>
      readable(async () => {
        const isEmptyAllowed = (body as JsonObject | null)?.['empty'] === true
        const { pointer } = await fleet.releases.head()
        if (pointer === null && !isEmptyAllowed) {
          return new Refusal(409, 'the store has no release; with { "empty": true } this gateway serves its own files')
        }
        const before = fleet.copy.release
        await fleet.forceSync()
        const [{ problems }, after] = [fleet.versions, fleet.copy.release]
        if (problems.length > 0) return invalidRelease(problems)
        const audited = (release: CopiedRelease | null) =>
          release && { revision: String(release.release), content: { release: release.release, store: release.store } }
        recordChange(call.exchange, { id: String(after?.release ?? 0), before: audited(before), after: audited(after) })
        return after === null ? { adopted: true } : { _id: String(after.release), ...copiedContent(after) }
      }),
  }
}

/** Maps failures of the store to 503. */
async function readable<T>(read: () => Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof EtcdError || error instanceof ReleaseError) return storeRefusal(error)
    throw error
  }
}

function authorOf({ exchange }: Call): string {
  return exchange.context(AdminCallerContext)?.userId ?? 'management API'
}

function numberIn(id: string): number | null {
  return /^[1-9]\d{0,9}$/.test(id) ? Number(id) : null
}

/** Ids sort as their numbers, the newest first. */
function orderOf(id: string): string {
  return String(9_999_999_999 - Number(id)).padStart(10, '0')
}

/**
 * All releases; only that of the local copy while the store can not be reached. While the store contradicts the local copy, the
 * latter is the current one, so that what is served can be read.
 */
async function listed(fleet: Fleet): Promise<Resource[]> {
  const local = fleet.copy.release
  try {
    const { releases } = await fleet.releases.list({ limit: MOST_LISTED })
    if (local === null || fleet.versions.divergence === null) return releases.map(resourceOf)
    const others = releases.filter(({ number }) => number !== local.release)
    return [localResource(local), ...others.map((each) => resourceOf({ ...each, isCurrent: false }))]
  } catch (error) {
    if (!(error instanceof EtcdError) || local === null) throw error
    return [localResource(local)]
  }
}

async function releaseOf(fleet: Fleet, number: number): Promise<Resource | Refusal> {
  const local = fleet.copy.release
  if (local?.release === number && fleet.versions.divergence !== null) return localResource(local)
  try {
    const [record, { pointer }] = await Promise.all([fleet.releases.release(number), fleet.releases.head()])
    if (record === null) return NO_RELEASE
    const stage = pointer?.staged?.release === number ? pointer.staged.only : null
    return resourceOf({ number, record, problem: null, isCurrent: pointer?.release === number, stage })
  } catch (error) {
    if (error instanceof EtcdError && local?.release === number) return localResource(local)
    if (error instanceof EtcdError || error instanceof ReleaseError) return storeRefusal(error)
    throw error
  }
}

function resourceOf({ number, record, problem, isCurrent, stage }: ListedRelease): Resource {
  const { parent = null, author = '', created = '', note = null, files = 0, bytes = 0 } = record ?? {}
  const content = { parent, author, created, note, files, bytes, stage: stage && { ...stage }, current: isCurrent }
  return { id: String(number), revision: null, content: problem === null ? content : { ...content, problem } }
}

function localResource(release: CopiedRelease): Resource {
  return { id: String(release.release), revision: null, content: copiedContent(release) }
}

function copiedContent({ parent, author, created, note, files }: CopiedRelease): JsonObject {
  const bytes = files.values().reduce((sum, entry) => sum + entry.bytes, 0)
  return { parent, author, created, note, files: files.size, bytes, stage: null, current: true }
}

/** The bytes of all files: contents that were not sent are those of the current release. */
async function resolved(fleet: Fleet, { files }: ReleaseRequest): Promise<Map<string, Buffer> | Refusal> {
  const known = new Map<string, Buffer>()
  const limit = fleet.settings.store.maxReleaseSize
  let bytes = 0
  for (const [path, content] of files) {
    const data = Buffer.isBuffer(content) ? content : await fleet.copy.content(content.sha256)
    if (data === null) {
      const message = 'this gateway has no content of this SHA-256; send the content'
      return invalidRelease([{ file: path, message }])
    }
    bytes += data.length
    if (bytes > limit) return outcomeRefusal({ state: 'too-large', bytes, limit }) as Refusal
    known.set(path, data)
  }
  return known
}
