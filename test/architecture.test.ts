// Checks the source tree against docs/architecture.md. Every failure names rule, file and line.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Which folders each package, each folder of src, and `dev`, may import. Imports that are not listed are rejected; `main` and `cli` may import everything. */
const mayImport: Record<string, readonly string[] | 'everything'> = (() => {
  const ground = ['regex', 'json', 'expression', 'logging', 'files', 'timing']
  const language = [...ground, 'http', 'schema', 'crest']
  const engines = [
    'metrics',
    'secrets',
    'jose',
    'openid',
    'redis',
    'etcd',
    'sql',
    'scripts',
    'access-manager',
    'audit',
    'client',
    'listener',
    'resilience',
    'upstreams',
    'telemetry',
    'releases',
  ]
  const engine = [...language, 'contracts', 'cache']
  const object = [...engine, ...engines, 'durable-queue', 'trail', 'jms', 'jvm-keystores']
  const plane = [...object, 'rpc', 'heap', 'instance', 'objects']
  return {
    regex: [],
    json: [],
    expression: ['json', 'regex'],
    logging: [],
    files: [],
    timing: [],
    trail: ['files', 'json', 'logging'],
    'durable-queue': ['files', 'logging', 'timing'],
    rpc: ['schema'],
    groovy: ['json', 'regex'],
    http: ['json', 'expression'],
    http1: [],
    schema: [...ground, 'http', 'durable-queue'],
    crest: ['json', 'http'],
    contracts: [...language, 'rpc', 'durable-queue'],
    cache: [...language, 'contracts'],
    ...Object.fromEntries(engines.map((name) => [name, engine])),
    scripts: [...engine, 'groovy', 'jose'],
    openid: [...engine, 'jose'],
    client: [...engine, 'http1'],
    listener: [...engine, 'http1'],
    jms: [],
    'jvm-keystores': [],
    secrets: [...engine, 'jvm-keystores'],
    audit: [...engine, 'client', 'jms', 'telemetry', 'durable-queue', 'trail'],
    'access-manager': [...engine, 'client'],
    resilience: [...engine, 'client'],
    etcd: [...engine, 'client'],
    releases: [...engine, 'etcd'],
    heap: [...ground, 'http', 'schema', 'contracts'],
    instance: [...ground, 'http', 'schema', 'contracts', 'heap'],
    objects: object,
    unit: plane,
    control: plane,
    dev: object,
    cli: 'everything',
    main: 'everything',
  }
})()

/** Packages and modules that only one folder may import, so that replacing one changes one folder. */
const homes: Record<string, readonly string[]> = {
  undici: [],
  ws: ['client', 'dev'],
  jose: ['jose', 'dev'],
  oauth4webapi: ['openid'],
  ioredis: ['redis'],
  pg: ['sql'],
  mysql2: ['sql'],
  tldts: ['http'],
  '@cfworker/json-schema': ['audit'],
  rhea: ['jms'],
  '@platformatic/kafka': ['audit'],
}

/** Names without meaning. `manager` is allowed in names of configuration types. */
const emptyNames = /(?:^|[-.])(?:utils?|helpers?|common|misc|impl|manager)(?=[-.]|$)/
const typeNames = /(?:key|trust|trust-all|session|access)-manager/

const maxLines = 400

/** Of the names of packages. */
const SCOPE = '@identity-gateway'

interface Import {
  readonly specifier: string
  readonly names: string
  readonly typeOnly: boolean
  readonly line: number
}

interface Source {
  /** Path from the root of the repository, with `/`. */
  readonly path: string
  /** Package, folder of src, `main` for a file directly in it, or `dev`. */
  readonly folder: string
  readonly isTest: boolean
  readonly text: string
  readonly imports: readonly Import[]
}

const importForm =
  /^[ \t]*(?:import|export)\s+(type\s+)?((?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)?)\s*from\s*['"]([^'"\n]+)['"]/gm
const bareForm = /(?:^[ \t]*import\s+|\bimport\()()()['"]([^'"\n]+)['"]/gm

function importsOf(text: string): Import[] {
  return [importForm, bareForm].flatMap((form) =>
    [...text.matchAll(form)].map((match) => {
      const names = match[2] ?? ''
      const listed = names
        .replace(/[{}]/g, '')
        .split(',')
        .filter((name) => name.trim() !== '')
      return {
        specifier: match[3] ?? '',
        names,
        typeOnly: match[1] !== undefined || (listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name))),
        line: lineAt(text, match.index + match[0].search(/\S/)),
      }
    }),
  )
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const sources: readonly Source[] = globSync('{src,packages,dev}/**/*.ts', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return {
      path,
      folder: folderAt(path)!,
      isTest: path.endsWith('.test.ts'),
      text,
      imports: importsOf(text),
    }
  })

/** `#name` of package.json, or name of a package, to its folder. */
const entryPoints = new Map(
  Object.entries({
    ...(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, string> }).imports,
    ...Object.fromEntries(
      globSync('packages/*', { cwd: root }).map((path) => [path.replace('packages', SCOPE), `./${path}/index.ts`]),
    ),
  })
    .map(([name, target]) => [name, folderAt(target.replace(SCOPE, './packages').slice(2))] as const)
    .filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
)

function folderOf(source: Source, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return entryPoints.get(specifier)
  return folderAt(
    relative(root, join(root, dirname(source.path), specifier))
      .split(sep)
      .join('/'),
  )
}

/** Folder of a path from the root of the repository; undefined outside `src`, `packages` and `dev`. */
function folderAt(path: string): string | undefined {
  const [top, inside, ...rest] = path.split('/')
  if (top === 'dev') return top
  if (top === 'packages') return inside
  if (top !== 'src') return undefined
  return rest.length > 0 ? inside : 'main'
}

/** Fails with one line per finding: `file:line: what is wrong`. */
function holds(rule: string, findings: readonly string[]): void {
  assert.equal(findings.length, 0, `${rule}\n  ${findings.join('\n  ')}`)
}

function importFindings(
  among: (source: Source) => boolean,
  judge: (source: Source, item: Import) => string | undefined,
): string[] {
  return sources.filter(among).flatMap((source) =>
    source.imports.flatMap((item) => {
      const finding = judge(source, item)
      return finding === undefined ? [] : [`${source.path}:${item.line}: ${finding}`]
    }),
  )
}

/** Matching lines of code, without comments. */
function lineFindings(among: (source: Source) => boolean, pattern: RegExp, finding: string): string[] {
  return sources.filter(among).flatMap((source) =>
    source.text.split('\n').flatMap((line, index) => {
      const code = /^\s*(?:\/\/|\/?\*)/.test(line) ? '' : line.replace(/\s\/\/\s.*$/, '')
      return pattern.test(code) ? [`${source.path}:${index + 1}: ${finding}`] : []
    }),
  )
}

const all = (): boolean => true
const inPackage = ({ path }: Source): boolean => path.startsWith('packages/')
const shipped = (source: Source): boolean => !source.isTest

test('every package, every folder of src, and dev, is in the import order', () => {
  assert.ok(sources.length > 500, `${sources.length} sources were found`)
  const unknown = new Set(sources.map((source) => source.folder).filter((folder) => !(folder in mayImport)))
  holds('a new folder needs a row in the table of test/architecture.test.ts', [...unknown])
})

test('imports go only in the allowed direction', () => {
  const findings = importFindings(shipped, (source, { specifier }) => {
    const target = folderOf(source, specifier)
    const allowed = mayImport[source.folder]
    if (target === undefined || target === source.folder || allowed === 'everything') return undefined
    if (allowed?.includes(target)) return undefined
    return `${source.folder} may not import ${target} (${specifier}); it may import ${allowed?.join(', ') || 'nothing of ours'}`
  })
  holds('import direction', findings)
})

test('http imports from expression only the protocol by which a class exposes its members', () => {
  const findings = importFindings(
    (source) => source.folder === 'http' && shipped(source),
    (_, { specifier, names }) => {
      if (specifier !== '#expression') return undefined
      const foreign = names
        .replace(/[{}\s]/g, ' ')
        .split(',')
        .map(
          (name) =>
            name
              .replace(/^\s*type\s/, '')
              .trim()
              .split(/\s/)[0]!,
        )
      const others = foreign.filter((name) => name !== '' && !/^(?:expos|scope$)/i.test(name))
      return others.length > 0 ? `takes ${others.join(', ')} from #expression` : undefined
    },
  )
  holds('http may import only the `exposed` protocol of expression', findings)
})

test('folders are imported through their #name, packages by their name, and files of a folder by relative paths', () => {
  const findings = importFindings(all, (source, { specifier }) => {
    const target = folderOf(source, specifier)
    if (specifier.startsWith(`${SCOPE}/`)) {
      if (target === undefined) return `${specifier} is no entry of a package`
      return target === source.folder ? `${specifier} is this package: import the file by its relative path` : undefined
    }
    if (specifier.startsWith('#')) {
      if (inPackage(source)) return `${specifier} does not exist in a package`
      if (specifier.startsWith('#test/')) return source.isTest ? undefined : `${specifier} is for tests only`
      if (target === undefined) return `${specifier} is not in the imports of package.json`
      const inside = target === source.folder && !source.isTest && specifier !== '#catalogue'
      return inside ? `${specifier} is this folder's own entry point: import the file by its relative path` : undefined
    }
    if (!specifier.startsWith('.') || target === source.folder || source.folder === 'main') return undefined
    // Tests of packages import parts of `test/support` by their path.
    if (target === undefined) return inPackage(source) && !source.isTest ? `${specifier} leaves the package` : undefined
    return `${specifier} leaves the folder: use its entry point`
  })
  holds('#folder across folders, relative paths inside', findings)
})

test('an object type does not import the folder of another', () => {
  const findings = importFindings(
    (source) => shipped(source) && source.folder === 'objects' && source.path.split('/').length > 4,
    (source, { specifier }) => {
      if (!specifier.startsWith('.')) return undefined
      const target = relative(root, join(root, dirname(source.path), specifier))
        .split(sep)
        .join('/')
      const own = source.path.split('/').slice(0, 4).join('/')
      if (target.startsWith(`${own}/`) || /\/lib\/|\/log-events\.ts$/.test(target)) return undefined
      return `${specifier} leaves ${own}: share through #contracts or a lib folder of the family`
    },
  )
  holds('types share code through contracts', findings)
})

test('each package and each dangerous module is imported by one folder', () => {
  const servers = /\b(?:createServer|createSecureServer|Server)\b|\*/
  const findings = importFindings(shipped, (source, { specifier, names, typeOnly }) => {
    const home = homes[/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '']
    if (home !== undefined && !home.includes(source.folder)) return `${specifier} belongs to src/${home.join(', src/')}`
    if (/^(?:node:)?vm$/.test(specifier) && source.folder !== 'scripts')
      return 'node:vm is no sandbox; scripts are run by src/scripts'
    if (!/^node:(?:http|https|http2)$/.test(specifier) || typeOnly) return undefined
    if (source.folder === 'listener' || source.folder === 'dev') return undefined
    return servers.test(names) || !names.includes('{') ? `${specifier} servers are made in src/listener` : undefined
  })
  holds('one home', findings)
})

test('files are replaced by #files, so that every write survives a crash in the same way', () => {
  /** Rotation moves a file that is complete; the folder of a release gets its name when it is complete. */
  const moving = ['src/files/durable-file.ts', 'src/trail/files/rotated-files.ts', 'src/control/fleet/']
  const findings = importFindings(shipped, (source, { specifier, names }) => {
    const renames = /^node:fs/.test(specifier) && /\brename(?:Sync)?\b/.test(names)
    if (!renames || source.folder === 'dev' || moving.some((path) => source.path.startsWith(path))) return undefined
    return 'write temporary, sync, rename is `replaceFile` of #files'
  })
  holds('one durable write', findings)
})

test('no code is compiled from strings, and the HTTP parser stays strict', () => {
  holds('no eval', [
    ...lineFindings(shipped, /(?<![\w.$'"`#])eval\(/, 'eval'),
    ...lineFindings(shipped, /\bnew\s+Function\s*\(/, 'new Function'),
    ...lineFindings(shipped, /insecureHTTPParser/, 'insecureHTTPParser'),
  ])
})

test('every export has a name', () => {
  holds('no default exports', lineFindings(all, /^\s*export\s+default\b|\bas\s+default\b/, 'default export'))
})

test('file and folder names are meaningful', () => {
  const findings = sources.flatMap(({ path }) => {
    const empty = path
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split('/')
      .filter((part) => emptyNames.test(part.replace(typeNames, '')))
    return empty.length > 0 ? [`${path}:1: ${empty.join(', ')}`] : []
  })
  holds('no utils, helpers, common, misc, Manager, Impl', findings)
})

test(`no file is longer than ${maxLines} lines`, () => {
  const files = [
    ...globSync('{bench,scripts}/**/*.ts', { cwd: root }),
    ...sources.filter(shipped).map(({ path }) => path),
  ]
  const findings = files.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1
    return lines > maxLines ? [`${path}:${maxLines}: ${lines} lines; split it by idea`] : []
  })
  holds('file length', findings)
})

test('B53: client input is compared with a secret in constant time', () => {
  const comparing = [
    'src/control/admin/authentication.ts',
    'dev/access-manager/state/accounts.ts',
    'src/http/constant-time.ts',
    'src/objects/filters/csrf/csrf-filter.ts',
    'src/objects/resolvers/dpop/proof.ts',
    'packages/jvm-keystores/pkcs12-mac.ts',
  ]
  const findings = comparing.flatMap((path) => {
    const source = sources.find((candidate) => candidate.path === path)
    if (source === undefined) return [`${path}: the file is not there; name the one that compares now`]
    return /timingSafeEqual\(|equalsConstantTime\(/.test(source.text)
      ? []
      : [`${path}: does not compare in constant time`]
  })
  holds('secrets are compared in constant time', findings)
})

test('tests import no tests, except those that run in a separate process', () => {
  const findings = sources.flatMap(({ path, text }) =>
    path.endsWith('.test.ts') && !path.endsWith('.alone.test.ts') && /import[^\n]*\.test\.ts'/.test(text)
      ? [`${path}: imports a test, which then runs once for both; call it x.alone.test.ts`]
      : [],
  )
  holds('tests are not imported', findings)
})
