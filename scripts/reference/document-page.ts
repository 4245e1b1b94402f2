import { DOCUMENT_STRUCTURE, type DocumentSource } from '#schema'
import { fieldSection, olderSection, parted } from './reference-page.ts'

/** The reference page of a kind of configuration file, from its definition and the prose beside it. */
export function documentPage({ name, title, description, document }: DocumentSource, prose: string): string {
  const { lead, sections } = parted(prose)
  const structure = Object.entries(DOCUMENT_STRUCTURE).map(([field, text]) => `| \`${field}\` | ${text} |`)
  const parts = [
    `# ${title}`,
    description,
    `JSON Schema: [schemas/${name}.json](../../schemas/${name}.json), in [editors](../guide/editors.md) too.`,
    lead,
    '## Fields',
    fieldSection(document.fields, ''),
    ...olderSection({ config: document.fields }),
    '## Objects, properties and decorators',
    `| Field | Description |\n|---|---|\n${structure.join('\n')}`,
    SHARED,
    sections,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const SHARED =
  'The name of a decorator as a field, such as `capture`, `timer` or `baseURI`, decorates the main handler of the file. ' +
  '`comment`, `comments`, `$schema` and fields that begin with `_` or `//` have no effect. Any other unknown field is an error.'
