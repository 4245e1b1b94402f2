// Output of `npm run generate`: JSON Schemas and reference pages, generated from the definitions of object types.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import { BUILT_IN_TOPICS } from '#audit'
import { RETIRED_TYPES, UNSUPPORTED_TYPES } from '#heap'
import { CONFIGURATION_FILES, ROUTE_FILE } from '#instance'
import { documentSchema, type JsonSchema, type TypeDefinition } from '#schema'
import { declaredMetrics } from './metrics-page.ts'
import { documentPage } from './reference/document-page.ts'
import { contextsPage } from './reference/flow-page.ts'
import { olderSpellingsPage } from './reference/older-spellings-page.ts'
import { pageName } from './reference/page-name.ts'
import { referenceIndex, referencePage } from './reference/reference-page.ts'
import { root } from './steps.ts'

/** First line of every generated page; pages without it are written by hand. */
export const GENERATED_MARK = '<!-- Made by `npm run generate` from the definitions in src/objects. Do not edit. -->'

const REFERENCE = 'docs/reference'

/** The schema with the definitions of all files. */
const HOME = `${ROUTE_FILE.name}.json`

/** Every generated file: path from the root of the repository, and its content. */
export function generatedFiles(definitions: readonly TypeDefinition[]): Map<string, string> {
  const byName = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1))
  const prose = proseFiles()
  const files = new Map<string, string>()
  for (const file of CONFIGURATION_FILES) {
    const schema = documentSchema(file, byName)
    files.set(
      `schemas/${file.name}.json`,
      asJson(file === ROUTE_FILE ? { $id: HOME, ...schema } : withoutDefinitions(schema)),
    )
    files.set(`${REFERENCE}/${file.name}.md`, marked(documentPage(file, readProse(prose.get(file.name)))))
  }
  for (const { name, schema } of BUILT_IN_TOPICS) files.set(`schemas/audit-${name}.json`, asJson(schema))
  files.set(`${REFERENCE}/README.md`, marked(referenceIndex(CONFIGURATION_FILES, byName)))
  files.set(
    `${REFERENCE}/older-spellings.md`,
    marked(olderSpellingsPage(byName, CONFIGURATION_FILES, { retired: RETIRED_TYPES, unsupported: UNSUPPORTED_TYPES })),
  )
  files.set(`${REFERENCE}/contexts.md`, marked(contextsPage(byName)))
  const source = { definitions: byName, metrics: declaredMetrics() }
  for (const definition of byName) {
    const page = pageName(definition.name)
    files.set(`${REFERENCE}/${page}.md`, marked(referencePage(definition, readProse(prose.get(page)), source)))
  }
  return files
}

/** Generated files in the repository, including those of removed types. */
export function presentFiles(): string[] {
  const pages = globSync(`${REFERENCE}/*.md`, { cwd: root }).filter((path) => {
    return readFileSync(join(root, path), 'utf8').startsWith(GENERATED_MARK)
  })
  return [...globSync('schemas/*.json', { cwd: root }), ...pages].map(withSlashes).sort()
}

/** The Markdown file beside each type and kind of file, by the name of its page. */
function proseFiles(): Map<string, string> {
  const files = globSync(['src/objects/**/*.md', 'src/instance/*.md'], { cwd: root }).map(withSlashes)
  return new Map(files.map((path) => [basename(path, '.md'), path]))
}

function readProse(path: string | undefined): string {
  return path === undefined ? '' : movedLinks(readFileSync(join(root, path), 'utf8'), path)
}

/** Rewrites links relative to the Markdown file to links relative to the page. */
function movedLinks(prose: string, path: string): string {
  return prose.replace(/\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g, (_, target: string, anchor = '') => {
    const place = withSlashes(relative(root, resolve(root, dirname(path), target)))
    const moved = /^src\/objects\/.*\.md$/.test(place) ? basename(place) : posix.relative(REFERENCE, place)
    return `](${moved}${anchor})`
  })
}

function marked(page: string): string {
  return `${GENERATED_MARK}\n\n${page}`
}

/** The schema with references to the definitions of `HOME`, in the same folder. */
function withoutDefinitions({ $defs: _, ...schema }: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${HOME}#/`)) as JsonSchema
}

function asJson(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`
}

function withSlashes(path: string): string {
  return path.split(sep).join('/')
}
