import { BUILT_IN_CONTEXTS } from '#http'
import type { TypeDefinition } from '#schema'
import { pageName } from './page-name.ts'

/** Help of a metric, from its declaration. */
export interface MetricNote {
  readonly name: string
  readonly type: string
  readonly help: string
}

/** What the pages of types state of all types. */
export interface ReferenceSource {
  readonly definitions: readonly TypeDefinition[]
  readonly metrics: readonly MetricNote[]
}

/** Sections of the page of a type: its contexts, its place in a chain, its metrics and its log events. */
export function flowSections(definition: TypeDefinition, source: ReferenceSource): string[] {
  return [
    ...contextSection(definition),
    ...orderSection(definition, source.definitions),
    ...metricSection(definition, source.metrics),
    ...eventSection(definition),
  ]
}

function contextSection({ provides, diverts, needs }: TypeDefinition): string[] {
  const rows = [
    ...provides.map((context) => `| ${inExpressions(context)} | Added to the requests that are passed on. |`),
    ...Object.entries(diverts).flatMap(([field, contexts]) =>
      contexts.map((context) => `| ${inExpressions(context)} | Added to the requests for \`${field}\`. |`),
    ),
    ...needs.map(({ context, field, consequence }) => {
      const by = field === undefined ? 'Needed' : `Needed by \`${field}\``
      return `| ${inExpressions(context)} | ${by}; without it, ${consequence}. |`
    }),
  ]
  return rows.length === 0 ? [] : [`## Contexts\n\n| [Context](contexts.md) | Use |\n|---|---|\n${rows.join('\n')}`]
}

function orderSection({ name, after }: TypeDefinition, definitions: readonly TypeDefinition[]): string[] {
  const before = definitions.filter((other) => other.after.includes(name)).map((other) => other.name)
  const lines = [
    ...(after.length === 0 ? [] : [`In a chain with ${listed(after)}, it stands behind.`]),
    ...(before.length === 0 ? [] : [`In a chain with ${listed(before)}, it stands before; it has no effect behind.`]),
  ]
  return lines.length === 0 ? [] : [`## Order\n\n${lines.join('\n')}`]
}

function metricSection({ name: type, metrics }: TypeDefinition, notes: readonly MetricNote[]): string[] {
  const rows = metrics.map((name) => {
    const note = notes.find((each) => each.name === name)
    if (note === undefined) throw new Error(`${type} names the metric ${name}, which nothing declares`)
    return `| \`${name}\` | ${note.type} | ${escaped(note.help)} |`
  })
  return rows.length === 0
    ? []
    : [`## Metrics\n\n| [Metric](metrics.md) | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`]
}

function eventSection({ events }: TypeDefinition): string[] {
  const rows = events.map(({ code, meaning, action }) => `| \`${code}\` | ${escaped(meaning)} | ${escaped(action)} |`)
  return rows.length === 0
    ? []
    : [`## Log events\n\n| [Code](log-events.md) | Meaning | What to do |\n|---|---|---|\n${rows.join('\n')}`]
}

/** The page of all contexts: the types that add each, and those that need it. */
export function contextsPage(definitions: readonly TypeDefinition[]): string {
  const rows = new Map<string, { added: string[]; needed: string[] }>()
  const rowOf = ({ name }: TypeDefinition['provides'][number]) => {
    const row = rows.get(name) ?? { added: [], needed: [] }
    rows.set(name, row)
    return row
  }
  for (const { name, provides, diverts, needs } of definitions) {
    for (const context of provides) rowOf(context).added.push(linked(name))
    for (const [field, contexts] of Object.entries(diverts))
      for (const context of contexts) rowOf(context).added.push(`${linked(name)}, for \`${field}\``)
    for (const { context } of needs) rowOf(context).needed.push(linked(name))
  }
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { added, needed }]) => `| \`contexts.${name}\` | ${added.join('; ')} | ${needed.join('; ')} |`)
  return `# Contexts

Filters add contexts to requests: \`contexts.ssoToken\` in expressions, \`contexts\` in scripts. Later filters and handlers of
the chain see them; those before do not. \`gateway validate\` warns where an expression reads one that no filter before adds.

| Context | Added by | Needed by |
|---|---|---|
${lines.join('\n')}

Every request has ${[...BUILT_IN_CONTEXTS].map((name) => `\`contexts.${name}\``).join(', ')}.
`
}

function inExpressions({ name }: TypeDefinition['provides'][number]): string {
  return `\`contexts.${name}\``
}

function listed(types: readonly string[]): string {
  return types.map(linked).join(' or ')
}

function linked(type: string): string {
  return `[${type}](${pageName(type)}.md)`
}

function escaped(text: string): string {
  return text.replaceAll('\n', ' ').replace(/(?<!\\)\|/g, '\\|')
}
