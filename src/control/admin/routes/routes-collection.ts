import { randomUUID } from 'node:crypto'
import {
  type Action,
  applyPatch,
  type Call,
  type Collection,
  type Outcome,
  PageCookies,
  type PatchOperation,
  queryResources,
  Refusal,
  type Resource,
  type Transformation,
} from '#crest'
import { isPlainObject, type JsonObject } from '#json'
import type { RouteFile } from '../../routes/route-files.ts'
import type { RouteStore } from '../../routes/route-store.ts'
import { ROUTE_ACTIONS, ROUTES_DESCRIPTION } from '../../routes/routes-descriptions.ts'
import { TaskQueue } from '../../routes/task-queue.ts'
import type { PatchScripts } from './patch-scripts.ts'
import { idInText } from './route-content.ts'
import { RouteEditor } from './route-editor.ts'
import { type DegradedObjects, fileOf, idIn, type RouteSources, routeResource } from './route-resources.ts'
import { deletedAction, historyAction, rollbackAction } from './route-versions.ts'

const PATCH_TRIES = 5

/** The routes of a folder as a Common REST collection (decisions 3). */
export function routesCollection(
  store: RouteStore,
  degraded: () => DegradedObjects,
  dryRuns: Readonly<Record<string, Action>>,
  scripts: PatchScripts,
): Collection {
  let degradedNow: DegradedObjects = new Map()
  const sources: RouteSources = { store, degraded: (id) => degradedNow.get(id) ?? [] }
  // Cached by file and id, since there may be many.
  const resources = new WeakMap<RouteFile, Resource>()
  const files = new WeakMap<Resource, string>()
  const resourceOf = (file: RouteFile): Resource => {
    const known = resources.get(file)
    if (known !== undefined && known.id === idIn(store, file)) return known
    const resource = routeResource(file, sources)
    resources.set(file, resource)
    files.set(resource, file.file.replace(/\.json$/, ''))
    return resource
  }
  const editor = new RouteEditor(sources, scripts.logger)
  const cookies = new PageCookies()
  const patches = new TaskQueue()
  const naturalOrder = (resource: Resource) =>
    store.deployment.order === 'file' ? (files.get(resource) ?? '') : String(resource.content['name'] ?? resource.id)
  return {
    kind: 'collection',
    description: ROUTES_DESCRIPTION,
    create: (call, id, content) => editor.create(call, id ?? idInText(content) ?? randomUUID(), content),
    read: async (_, id) => {
      await store.history.loaded()
      degradedNow = degraded()
      const file = fileOf(store, id)
      return file === null ? new Refusal(404, 'there is no route of this id') : resourceOf(file)
    },
    update: (call, id, content, revision) => editor.update(call, id, content, revision),
    delete: (call, id, revision) => editor.delete(call, id, revision),
    patch: (call, id, operations, revision) => {
      const apply = () => patch(call, id, operations, revision, { sources, editor, scripts })
      // Without a revision they apply to the version that the one before has made, and would overtake each other.
      return revision === null ? patches.run(apply) : apply()
    },
    query: async (_, query) => {
      await store.history.loaded()
      degradedNow = degraded()
      return queryResources(store.files.all.values().map(resourceOf), query, { cookies, naturalOrder })
    },
    actions: { validate: validate(editor), ...dryRuns, deleted: deletedAction(store) },
    resourceActions: { rollback: rollbackAction(store, editor), history: historyAction(store) },
  }
}

async function patch(
  call: Call,
  id: string,
  operations: readonly PatchOperation[],
  revision: string | null,
  { sources, editor, scripts }: { sources: RouteSources; editor: RouteEditor; scripts: PatchScripts },
): Outcome<Resource> {
  const run: Transformation = async (...given) => {
    // Scripts are loaded by the first patch with one.
    const { scriptTransformation } = await import('./patch-scripts.ts')
    return scriptTransformation(scripts, call.exchange)(...given)
  }
  for (let tries = 1; ; tries++) {
    const file = fileOf(sources.store, id)
    if (file === null) return new Refusal(404, 'there is no route of this id')
    const current = routeResource(file, sources)
    const names = { _id: id, _rev: current.revision }
    const transform: Transformation = (value, instruction, resource) =>
      run(value, instruction, { ...resource, ...names })
    const content = await applyPatch(current.content, operations, { transform })
    if (Object.hasOwn(content, '_id') && content['_id'] !== id) return new Refusal(400, '_id can not be patched')
    const { _id: _, _rev: __, ...fields } = content
    const done = await editor.update(call, id, fields, revision ?? current.revision)
    // A concurrent edit was first. A request without a revision applies to the current version.
    const isOvertaken = done instanceof Refusal && done.status === 412 && revision === null
    if (!isOvertaken) return done
    if (tries === PATCH_TRIES) return new Refusal(409, 'the route is changed by others all the time; try again')
  }
}

function validate(editor: RouteEditor): Action {
  return {
    ...ROUTE_ACTIONS.validate,
    run: async (_, { body }) => {
      if (!isPlainObject(body)) return new Refusal(400, 'the body: expected a JSON object, the route')
      const { _id: given = null, _rev: __, ...content } = body as JsonObject
      const id = given ?? idInText(content) ?? randomUUID()
      if (typeof id !== 'string') return new Refusal(400, '_id: expected a string')
      const problems = await editor.problems(id, content)
      if (problems instanceof Refusal) return problems
      return { valid: problems.length === 0, problems: [...problems] }
    },
  }
}
