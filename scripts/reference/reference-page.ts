import type { DocumentSource, Field, FieldInfo, Kind, TypeDefinition } from '#schema'
import { flowSections, type ReferenceSource } from './flow-page.ts'
import { pageName } from './page-name.ts'
import { withTypeLinks } from './type-links.ts'

const NOTHING_ELSE: ReferenceSource = { definitions: [], metrics: [] }

/** The reference page of a type, from its definition and the prose beside its code; types that it names are links. */
export function referencePage(definition: TypeDefinition, prose: string, source = NOTHING_ELSE): string {
  const { lead, sections } = parted(prose)
  const parts = [
    `# ${definition.name}`,
    definition.summary,
    facts(definition),
    lead,
    '## Configuration',
    fieldSection(definition.config, 'This type has no configuration: leave `config` out.'),
    ...olderSection(definition),
    ...settingsSection(definition),
    ...flowSections(definition, source),
    sections,
  ]
  const pages = new Map(source.definitions.map(({ name }) => [name, pageName(name)]))
  return `${withTypeLinks(parts.filter((part) => part !== '').join('\n\n'), pages, definition.name)}\n`
}

/** The page that lists every kind of file, and every type by kind. */
export function referenceIndex(files: readonly DocumentSource[], definitions: readonly TypeDefinition[]): string {
  const kinds = Map.groupBy(definitions, ({ kind }) => kind?.name ?? 'Any kind')
  const sections = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, types]) => kindSection(kind, types))
  const rows = files.map(({ name, title, description }) => `| [${title}](${name}.md) | ${cell(description)} |`)
  return `${[
    '# Reference',
    'Every file of a configuration, and every type of object that it can hold, by what it can stand for. Besides: [contexts](contexts.md), [error codes](errors.md), [log events](log-events.md), [metrics](metrics.md), [older spellings](older-spellings.md), [tokens](tokens.md).',
    `## Files\n\n| File | What it configures |\n|---|---|\n${rows.join('\n')}`,
    ...sections,
  ].join('\n\n')}\n`
}

function kindSection(kind: string, types: readonly TypeDefinition[]): string {
  const rows = [...types]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, aliases, summary, replacement }) => {
      const also = aliases.length === 0 ? '' : ` (also ${aliases.map(code).join(', ')})`
      const deprecated = replacement === null ? '' : ` **Deprecated**: ${replacement}.`
      return `| [${name}](${pageName(name)}.md)${also} | ${cell(summary)}${deprecated} |`
    })
  return `## ${kind}\n\n| Type | What it does |\n|---|---|\n${rows.join('\n')}`
}

/** The prose up to its first heading introduces the type and is printed before the table. */
export function parted(prose: string): { lead: string; sections: string } {
  const text = prose.trim()
  const at = text.search(/^##? /m)
  if (at === -1) return { lead: text, sections: '' }
  return { lead: text.slice(0, at).trim(), sections: text.slice(at).trim() }
}

function facts({ kind, aliases, replacement }: TypeDefinition): string {
  const of = kind === null ? 'what it stands for' : kindLink(kind)
  const also = aliases.length === 0 ? '' : ` Also written ${aliases.map(code).join(', ')}.`
  const deprecated = replacement === null ? '' : `\n\n**Deprecated**: ${replacement}.`
  return `Kind: ${of}.${also}${deprecated}`
}

function settingsSection({ settings }: TypeDefinition): string[] {
  if (settings === null) return []
  const { notes } = settings.info
  const description = notes.description === undefined ? '' : ` ${notes.description}`
  const rows = fieldRows(settings, '')
  const value = `The key of the decorator beside \`type\` and \`config\` takes: ${typeLabel(settings)}.${description}`
  return rows.length === 0 ? ['## Use', value] : ['## Use', value, table(rows)]
}

/** The table of fields, and the rules over them. */
export function fieldSection(config: Field, none: string): string {
  const rows = fieldRows(config, '')
  if (rows.length === 0) return none
  const rules = ruleLines(config, '')
  return rules.length === 0 ? table(rows) : `${table(rows)}\n\n${rules.join('\n')}`
}

/** Fields of other dialects that are not only renamed. */
export function olderSection({ config }: { readonly config: Field }): string[] {
  const rows = olderSpellings(config)
    .filter(({ isRename }) => !isRename)
    .map(({ old, text }) => `| ${old.map(code).join(', ')} | ${cell(text)} |`)
  if (rows.length === 0) return []
  return ['## Older spellings', `| Field | Now |\n|---|---|\n${rows.join('\n')}`]
}

interface DescribedSpelling {
  readonly old: readonly string[]
  readonly text: string
  readonly isRename: boolean
}

/** The older spellings of a field and of those below it, with their paths. */
export function olderSpellings(field: Field, path = ''): DescribedSpelling[] {
  const { members = {}, older = [] } = field.info.shape
  const described = older.filter(({ warnsOnce }) => !warnsOnce)
  return [
    ...described.map(({ old, hasEffect, advice, isRename }) => ({
      isRename,
      old: old.map((name) => path + name),
      text: hasEffect ? `${advice[0]?.toUpperCase()}${advice.slice(1)}.` : `No effect: ${advice}.`,
    })),
    ...Object.entries(members).flatMap(([name, member]) => olderSpellings(member, `${path}${name}.`)),
    ...fieldsBelow(field, path).flatMap(([below, at]) => olderSpellings(below, at)),
  ]
}

function table(rows: readonly string[]): string {
  return `| Field | Type | Required | Default | Description |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

/** One row per field; nested fields follow with their path. */
function fieldRows(field: Field, path: string): string[] {
  const { members = {}, older = [] } = field.info.shape
  const own = Object.entries(members).flatMap(([name, member]) => {
    const old = older.filter(({ current, isRename }) => isRename && current === name).flatMap(({ old }) => old)
    return [row(`${path}${name}`, member, old), ...fieldRows(member, `${path}${name}.`)]
  })
  return [...own, ...fieldsBelow(field, path).flatMap(([below, at]) => fieldRows(below, at))]
}

/** Fields in lists, maps and branches, with their path. */
function fieldsBelow(field: Field, path: string): (readonly [Field, string])[] {
  const { inner, item, entries, branches } = field.info.shape
  const below: (readonly [Field, string])[] = []
  if (inner !== undefined) below.push([inner, path])
  if (item !== undefined) below.push([item, path.replace(/\.?$/, '[].')])
  if (entries !== undefined) below.push([entries, `${path}*.`])
  for (const branch of branches?.values() ?? []) below.push([branch, path])
  return below
}

function row(path: string, field: Field, oldNames: readonly string[]): string {
  const info = field.info
  const defaultValue = info.defaultValue === undefined ? '' : code(JSON.stringify(info.defaultValue))
  const required = info.required ? 'yes' : 'no'
  return `| ${code(path)} | ${typeLabel(field)} | ${required} | ${cell(defaultValue)} | ${cell(describe(info, oldNames))} |`
}

function describe({ notes }: FieldInfo, oldNames: readonly string[]): string {
  const remarks = [notes.description ?? '']
  if (oldNames.length > 0) remarks.push(`Old name: ${oldNames.map(code).join(', ')}.`)
  if (notes.replacement !== undefined) remarks.push(`**Deprecated**: ${notes.replacement}.`)
  if (notes.unsupported !== undefined) remarks.push(`**No effect**: ${notes.unsupported}.`)
  return remarks.filter((remark) => remark !== '').join(' ')
}

function typeLabel(field: Field): string {
  const { label, inner, item, entries, kinds, branches } = field.info.shape
  if (kinds !== undefined) return `${kinds.map(kindLink).join(' or ')} reference`
  if (inner !== undefined) return `configuration expression (${typeLabel(inner)})`
  if (branches !== undefined) return [...new Set([...branches.values()].map(typeLabel))].join(', or ')
  if (item !== undefined) {
    const many = `array of ${typeLabel(item)}`
    return label.startsWith('an array') ? many : `${typeLabel(item)}, or ${many}`
  }
  if (entries !== undefined) return `map of ${typeLabel(entries)}`
  const runtime = /^an expression(?: \((\w+)\))?$/.exec(label)
  if (runtime !== null) return `runtime expression (${runtime[1] ?? 'any'})`
  return cell(label.replace(/^an? /, '').replace(/"[^"]*"/g, (word) => code(word.slice(1, -1))))
}

function ruleLines(field: Field, path: string): string[] {
  const { rules = [], members = {} } = field.info.shape
  const where = path === '' ? '' : ` in ${code(path.replace(/\.$/, ''))}`
  return [
    ...rules.map(({ text }) => `- ${text.replace(/^give /, 'Give ')}${where}.`),
    ...Object.entries(members).flatMap(([name, member]) => ruleLines(member, `${path}${name}.`)),
    ...fieldsBelow(field, path).flatMap(([below, at]) => ruleLines(below, at)),
  ]
}

function kindLink({ name }: Kind): string {
  return `[${name}](README.md#${name.toLowerCase()})`
}

function code(text: string): string {
  return `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replace(/(?<!\\)\|/g, '\\|')
}
