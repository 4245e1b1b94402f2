import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import type { QueryClient } from '@tanstack/react-query'
import { scopeQuery } from '../api/scope.ts'
import { fetchType, type Schema, TYPES_QUERY } from '../api/types.ts'
import { heapObjects } from '../model/heap-objects.ts'
import { descriptionOf, type Fitting, type Place, type Proposal, placeAt, proposalsFor } from '../model/schema-place.ts'
import { completeInString } from './expressions/expression-completion.ts'
import type { ExpressionRoute } from './expressions/expression-route.ts'

/** Completion and hover texts by the schemas of the gateway's types, and completion of expressions. */
export function jsonSchema(client: QueryClient, route: () => ExpressionRoute): Extension {
  return [
    autocompletion({ override: [(context) => complete(context, client, route())] }),
    hoverTooltip((view, offset) => describe(view, offset, client, route().router)),
  ]
}

async function complete(
  context: CompletionContext,
  client: QueryClient,
  route: ExpressionRoute,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString()
  const place = placeAt(text, context.pos)
  const isInString = place.kind === 'value' && text[place.from] === '"' && place.from < context.pos
  if (isInString && /[$#]\{/.test(text.slice(place.from, context.pos)))
    return completeInString(context, place.from + 1, route)
  if (!context.explicit && context.matchBefore(/["\w]/) === null) return null
  const proposals = proposalsFor(place, await fittingAt(place, text, client, route))
  if (context.aborted || proposals.length === 0) return null
  const isQuoted = text[place.from] === '"' && place.from < context.pos
  return { from: place.from + (isQuoted ? 1 : 0), options: proposals.map(completionOf) }
}

async function fittingAt(
  place: Place,
  text: string,
  client: QueryClient,
  { router }: ExpressionRoute,
): Promise<Fitting> {
  const [root, outer, types, scope] = await Promise.all([
    schemaOf(place.type, client, router),
    schemaOf(place.object.type, client, router),
    client.fetchQuery(TYPES_QUERY).catch(() => []),
    client.fetchQuery(scopeQuery(router)).catch(() => null),
  ])
  const inherited = scope?.objects ?? []
  return {
    root,
    outer,
    types: types.map(({ _id }) => _id),
    objects: heapObjects(text, inherited),
    decorators: inherited.filter(({ kind }) => kind === 'Decorator').map(({ name }) => name),
  }
}

/** The schema of a type; of the route where there is no type around. */
async function schemaOf(type: string | null, client: QueryClient, router: string): Promise<Schema | null> {
  if (type !== null) return (await fetchType(client, type))?.schema ?? null
  const scope = await client.fetchQuery(scopeQuery(router)).catch(() => null)
  return scope?.schema ?? null
}

function completionOf({ label, insert, info }: Proposal): Completion {
  return {
    label,
    ...(info === null ? {} : { info }),
    apply: (view) => {
      const text = view.state.doc.toString()
      const { kind, from, to } = placeAt(text, view.state.selection.main.head)
      const colon = kind === 'key' && !/^\s*:/.test(text.slice(to)) ? ': ' : ''
      view.dispatch({
        changes: { from, to, insert: insert + colon },
        selection: { anchor: from + insert.length + colon.length },
        userEvent: 'input.complete',
      })
    },
  }
}

async function describe(
  view: EditorView,
  offset: number,
  client: QueryClient,
  router: string,
): Promise<Tooltip | null> {
  const place = placeAt(view.state.doc.toString(), offset)
  const root = place.from < place.to ? await schemaOf(place.type, client, router) : null
  const description = root === null ? null : descriptionOf(place, root)
  if (description === null) return null
  return { pos: place.from, end: place.to, above: true, create: () => ({ dom: hintOf(description) }) }
}

function hintOf(description: string): HTMLElement {
  const dom = document.createElement('div')
  dom.className = 'json-hint'
  dom.setAttribute('role', 'tooltip')
  dom.textContent = description
  return dom
}
