import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Chapters of release notes, and their areas in order. */
const CHAPTERS: Readonly<Record<string, readonly string[]>> = {
  'Requests and connections': [
    ...['listener', 'http', 'client', 'upstreams', 'handlers', 'proxy', 'tls', 'websocket', 'throttling', 'units'],
    ...['performance', 'cache'],
  ],
  'Routes and configuration': [
    ...['router', 'gateway', 'configuration', 'admin', 'instance', 'validate', 'schema', 'heap', 'json', 'files'],
    ...['expressions', 'errors', 'dialects', 'migrate'],
  ],
  'Logins, tokens and policies': [
    ...['login', 'am-service', 'oauth2', 'openid', 'tokens', 'resolvers', 'sessions', 'redis', 'user-profile'],
  ],
  'Filters and other objects': ['filters', 'secrets'],
  Scripts: ['scripts', 'groovy'],
  Audit: ['audit'],
  'Logs, metrics and traces': ['logging', 'access-log', 'metrics', 'monitoring', 'telemetry', 'health'],
  'Several gateways': ['fleet'],
  'Management API and Studio': ['management-api', 'studio'],
  Commands: ['cli', 'run', 'launcher'],
  'Package, deployment and documents': ['package', 'install', 'deploy', 'docs'],
}
/** Areas that no chapter lists are names of types. */
const OF_TYPES = 'Filters and other objects'

/** Notes with which an area has a heading of its own. */
const HEADED = 4

/** Notes of a release: a text before the others, and the fragments `<area>__<slug>.md`. */
export interface ReleaseNotes {
  readonly summary: string
  readonly fragments: ReadonlyMap<string, string>
}

/** The notes of a version, by chapters and areas. */
export function changelogSection(version: string, date: string, { summary, fragments }: ReleaseNotes): string {
  const areas = Map.groupBy([...fragments].toSorted(), ([name]) => name.split('__')[0] as string)
  const listed = Object.values(CHAPTERS).flat()
  const chapters = Object.entries(CHAPTERS).flatMap(([title, order]) => {
    const others = title === OF_TYPES ? [...areas.keys()].filter((area) => !listed.includes(area)) : []
    const present = [...order, ...others].filter((area) => areas.has(area))
    const [headed, short] = [true, false].map((isHeaded) =>
      present.filter((area) => (areas.get(area) as Note[]).length >= HEADED === isHeaded),
    ) as [string[], string[]]
    const lists = short.map((area) => items(areas.get(area) as Note[], `**${titleOf(area)}:** `)).join('')
    const parts = headed.map((area) => {
      const heading = titleOf(area) === title ? '' : `#### ${titleOf(area)}\n\n`
      return heading + items(areas.get(area) as Note[])
    })
    return present.length === 0 ? [] : [`### ${title}\n`, ...(lists === '' ? [] : [lists]), ...parts]
  })
  return [`## ${version} (${date})\n`, ...(summary === '' ? [] : [`${summary.trim()}\n`]), ...chapters].join('\n')
}

/** The notes in a folder; its `SUMMARY.md` is the text before them. */
export function readNotes(directory: string): ReleaseNotes {
  const files = globSync('*__*.md', { cwd: directory })
  const summary = join(directory, 'SUMMARY.md')
  return {
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
    fragments: new Map(files.map((file) => [basename(file, '.md'), readFileSync(join(directory, file), 'utf8')])),
  }
}

type Note = readonly [name: string, text: string]

function items(notes: readonly Note[], prefix = ''): string {
  return notes
    .map(
      ([, text]) =>
        `- ${prefix}${text
          .trim()
          .replaceAll('](../', '](')
          .replace(/\n(?=[^\n])/g, '\n  ')}\n`,
    )
    .join('')
}

/** Words of areas that are written otherwise in titles. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...{ oauth2: 'OAuth 2.0', openid: 'OpenID Connect', websocket: 'WebSocket' },
  ...Object.fromEntries(
    ['am', 'api', 'cli', 'cors', 'csrf', 'csv', 'hsm', 'http', 'json', 'jwk', 'jwt', 'otlp', 'tls', 'uma'].map(
      (word) => [word, word.toUpperCase()],
    ),
  ),
}

function titleOf(area: string): string {
  const words = area.split('-').map((word) => SPELLINGS[word] ?? word)
  const title = words.join(' ')
  return title.charAt(0).toUpperCase() + title.slice(1)
}
