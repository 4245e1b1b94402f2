// npm run interop -- etcd VERSION...: the tests of src/etcd and src/releases, and those of gateways with a store, against other versions of etcd.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { useEtcd } from '../etcd-release.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** The last ones that the suite was run with. */
const VERSIONS = ['3.5.35', '3.6.16']

const TESTS = ['src/etcd', 'src/releases', 'control/fleet', 'test/gateway/fleet']

export async function run(words: readonly string[]): Promise<boolean> {
  let passed = true
  for (const version of words.length === 0 ? VERSIONS : words) {
    useEtcd(version)
    const [line = ''] = spawnSync('etcd', ['--version'], { encoding: 'utf8' }).stdout.split('\n')
    console.log(line)
    const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...TESTS], { cwd: ROOT, stdio: 'inherit' })
    passed &&= status === 0
  }
  return passed
}
