// A gateway loads what its configuration uses: which modules are in its threads at the start.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Folder } from '#test/folder'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'

const root = join(import.meta.dirname, '..', '..')
const recorder = join(root, 'test', 'support', 'record-modules.ts')

/** Folders of modules that neither thread needs for a plain route, by the beginnings of their paths. */
const UNUSED = [
  'node_modules/jose/',
  'node_modules/oauth4webapi/',
  'node_modules/ws/',
  'packages/groovy/',
  'src/access-manager/',
  'src/audit/transports/jms/',
  'src/audit/transports/kafka/',
  'src/control/fleet/fleet.ts',
  'src/etcd/',
  'packages/jms/',
  'src/jose/',
  'src/objects/services/audit/',
  'src/openid/',
  'src/redis/',
  'src/releases/',
  'src/scripts/',
  'src/secrets/',
  'src/sql/',
]

/** Those that the control thread has for its own trail and its API. */
const UNUSED_IN_UNITS = [
  'node_modules/@cfworker/',
  'src/audit/',
  'src/control/',
  'src/crest/',
  'src/durable-queue/',
  'src/telemetry/',
  'src/trail/',
]

/** The source files of the modules that a thread has loaded; of a bundle those that it is made of. */
function modulesOf(folder: Folder, thread: number): string[] {
  const files = readFileSync(join(folder.path, String(thread)), 'utf8').split('\n')
  return files
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url))
    .flatMap((file) => (existsSync(`${file}.map`) ? sourcesOf(file) : [file]))
    .map((file) => relative(root, file))
}

function sourcesOf(bundle: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as { readonly sources: readonly string[] }
  return sources.map((source) => join(dirname(bundle), source))
}

test('a gateway with a plain route loads no part that this route does not use', async () => {
  using folder = new Folder()
  const env = { RECORDED_MODULES: folder.path, NODE_OPTIONS: `--import=${recorder}` }
  await using gateway = await GatewayProcess.start({ routes: { plain: pathRoute('/', 'hello') }, env })
  assert.equal((await gateway.ask('/')).text, 'hello')
  const [control, unit] = [0, 1].map((thread) => modulesOf(folder, thread))
  assert.ok(control!.includes('src/control/gateway.ts') && unit!.includes('src/unit/unit.ts'), 'the record is complete')
  const loaded = (modules: readonly string[], unused: readonly string[]) =>
    modules.filter((path) => unused.some((beginning) => path.startsWith(beginning)))
  assert.deepEqual(loaded(control!, UNUSED), [], 'in the control thread')
  assert.deepEqual(loaded(unit!, [...UNUSED, ...UNUSED_IN_UNITS]), [], 'in the unit')
})
