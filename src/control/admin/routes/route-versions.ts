import { type Action, Refusal } from '#crest'
import { isPlainObject, type JsonObject } from '#json'
import type { StoredVersion } from '../../routes/history/version-index.ts'
import { parseRouteFile } from '../../routes/route-files.ts'
import type { RouteStore } from '../../routes/route-store.ts'
import { ROUTE_ACTIONS } from '../../routes/routes-descriptions.ts'
import type { RouteEditor } from './route-editor.ts'
import { contentOf, fileOf, idIn, versionSummary, versionsOf } from './route-resources.ts'

const NO_VERSION = 'there is no version of this revision; _action=history lists those that are kept'

/** Restores an earlier version of a route. */
export function rollbackAction(store: RouteStore, editor: RouteEditor): Action {
  return {
    ...ROUTE_ACTIONS.rollback,
    run: async (call, { id, body }) => {
      const revision = revisionIn(body)
      if (revision instanceof Refusal) return revision
      if (revision === null) return new Refusal(400, 'the body: expected { "_rev": "..." }')
      const found = await findVersion(store, id as string, revision)
      if (found === null) return new Refusal(404, NO_VERSION)
      const done = await editor.restore(call, id as string, { file: found.version.head.file, text: found.text })
      if (done instanceof Refusal) return done
      return { _id: done.id, _rev: done.revision, ...done.content }
    },
  }
}

/** Lists the earlier versions of a route, or returns one of them. */
export function historyAction(store: RouteStore): Action {
  return {
    ...ROUTE_ACTIONS.history,
    run: async (_, { id, body }) => {
      const revision = revisionIn(body)
      if (revision instanceof Refusal) return revision
      await store.history.loaded()
      if (revision === null) return listed(store, id as string)
      const found = await findVersion(store, id as string, revision)
      if (found === null) return new Refusal(404, NO_VERSION)
      const { version, text } = found
      const content = contentOf(parseRouteFile(version.head.file, text, ''))
      return { _id: id as string, ...versionSummary(version), content, _source: text }
    },
  }
}

/** Lists the deleted routes, each with its last version. */
export function deletedAction(store: RouteStore): Action {
  return {
    ...ROUTE_ACTIONS.deleted,
    run: async () => {
      await store.history.loaded()
      const there = new Set([...store.files.all.values()].map((file) => idIn(store, file)))
      const gone = [...store.history.ids()].filter((id) => !there.has(id)).sort()
      return {
        routes: gone.flatMap((id) =>
          store.history
            .versions(id)
            .slice(0, 1)
            .map((last) => ({ _id: id, ...versionSummary(last) })),
        ),
      }
    },
  }
}

function listed(store: RouteStore, id: string): JsonObject | Refusal {
  const current = fileOf(store, id)
  const versions = versionsOf(store, id, current)
  if (current === null && versions.length === 0) {
    return new Refusal(404, 'there is no route of this id, and no version of one')
  }
  return { _id: id, deleted: current === null, versions: versions.map(versionSummary) }
}

async function findVersion(
  store: RouteStore,
  id: string,
  revision: string,
): Promise<{ version: StoredVersion; text: string } | null> {
  await store.history.loaded()
  const version = store.history
    .versions(id)
    .find(({ head }) => head.revision === revision || head.sourceRevision === revision)
  const text = version === undefined ? null : await store.history.read(version)
  return version === undefined || text === null ? null : { version, text }
}

/** The revision in the body, of the content or of the text; null without one. */
function revisionIn(body: unknown): string | null | Refusal {
  if (body === null || body === undefined) return null
  const revision = isPlainObject(body) ? (body['_sourceRev'] ?? body['_rev']) : false
  if (revision === undefined) return null
  return typeof revision === 'string' ? revision : new Refusal(400, 'the body: expected { "_rev": "..." }')
}
