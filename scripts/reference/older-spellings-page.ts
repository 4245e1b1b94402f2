import type { DocumentSource, Field, TypeDefinition } from '#schema'
import { pageName } from './page-name.ts'
import { olderSpellings } from './reference-page.ts'

/** A field that works or is accepted although it is written differently now. */
interface OldField {
  readonly names: readonly string[]
  readonly text: string
}

/** The page that lists the fields of other dialects and deprecated fields of every type. */
export function olderSpellingsPage(
  definitions: readonly TypeDefinition[],
  files: readonly DocumentSource[],
  { retired, unsupported }: Readonly<Record<'retired' | 'unsupported', ReadonlyMap<string, string>>>,
): string {
  const byName = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1))
  const rows = byName.flatMap(({ name, config }) =>
    oldFields(config).map((field) => row(`[${name}](${pageName(name)}.md)`, field)),
  )
  const ofFiles = files.flatMap(({ name, title, document }) =>
    oldFields(document.fields).map((each) => row(`[${title}](${name}.md)`, each)),
  )
  return `${[
    '# Older spellings',
    INTRODUCTION,
    '## Fields of files',
    table('File', ofFiles),
    '## Fields of objects',
    table('Type', rows),
    '## Types without effect',
    'Objects of these types are accepted in a heap with one warning for each type and file, and are not built.',
    reasons('Reason', retired),
    '## Types that are not supported',
    'Files with objects of these types do not load; the message says what to use instead.',
    reasons('Instead', unsupported),
    '## Other names of types',
    `| Accepted | Type |\n|---|---|\n${byName
      .flatMap(({ name, aliases }) => aliases.map((alias) => `| \`${alias}\` | [${name}](${pageName(name)}.md) |`))
      .join('\n')}`,
  ].join('\n\n')}\n`
}

const INTRODUCTION =
  'Fields of OpenIG, ForgeRock IG and PingGateway that are accepted with a warning, and how they are written now. If both spellings are given, the current one is used and the warning names both.'

function oldFields(field: Field): OldField[] {
  return [...olderSpellings(field).map(({ old, text }) => ({ names: old, text })), ...deprecated(field, '')]
}

function deprecated(field: Field, path: string): OldField[] {
  const { members = {}, inner, item, entries, branches } = field.info.shape
  const own = Object.entries(members).flatMap(([name, member]) => {
    const { replacement, unsupported } = member.info.notes
    const texts = [
      ...(replacement === undefined ? [] : [`${upperFirst(replacement)}.`]),
      ...(unsupported === undefined ? [] : [`No effect: ${unsupported}.`]),
    ]
    return [
      ...(texts.length === 0 ? [] : [{ names: [path + name], text: texts.join(' ') }]),
      ...deprecated(member, `${path}${name}.`),
    ]
  })
  const below = [inner, entries, ...(branches?.values() ?? [])].filter((each) => each !== undefined)
  const inList = item === undefined ? [] : deprecated(item, path.replace(/\.?$/, '[].'))
  return [...own, ...below.flatMap((each) => deprecated(each, path)), ...inList]
}

function reasons(head: string, types: ReadonlyMap<string, string>): string {
  const rows = [...types].map(([type, reason]) => `| \`${type}\` | ${upperFirst(reason)}. |`)
  return `| Type | ${head} |\n|---|---|\n${rows.join('\n')}`
}

function table(head: string, rows: readonly string[]): string {
  return `| ${head} | Field | Now |\n|---|---|---|\n${rows.join('\n')}`
}

function row(where: string, { names, text }: OldField): string {
  const cell = text.replaceAll('\n', ' ').replace(/(?<!\\)\|/g, '\\|')
  return `| ${where} | ${names.map((name) => `\`${name}\``).join(', ')} | ${cell} |`
}

function upperFirst(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}
