// etcd of another version than Debian's, built from the modules of the Go proxy.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { CACHE } from './maven.ts'

const VERSION = /^3\.\d{1,2}\.\d{1,3}$/
const BUILD_LIMIT = 1_200_000

const SERVER = `package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`
const CLIENT = `package main

import "go.etcd.io/etcd/etcdctl/v3/ctlv3"

func main() { ctlv3.MustStart() }
`

/** Programs of this process, and of those that it starts, are those of a version of etcd, which is built once (3.5 or newer). */
export function useEtcd(version: string): void {
  process.env['PATH'] = `${builtEtcd(version)}${delimiter}${process.env['PATH'] ?? ''}`
}

/** The folder with `etcd`, `etcdctl` and `etcdutl` of a version. */
function builtEtcd(version: string): string {
  if (!VERSION.test(version))
    throw new Error(`expected a version of etcd such as 3.6.16, got ${JSON.stringify(version)}`)
  const home = join(CACHE, `etcd-${version}`)
  const programs = join(home, 'bin')
  if (existsSync(programs)) return programs
  const aside = `${home}.building`
  rmSync(aside, { recursive: true, force: true })
  for (const [name, source] of Object.entries({ etcd: SERVER, etcdctl: CLIENT })) {
    mkdirSync(join(aside, name), { recursive: true })
    writeFileSync(join(aside, name, 'main.go'), source)
  }
  // Not `go install`: the modules of etcd replace one another by their folders.
  const modules = ['server', 'etcdctl', 'etcdutl'].map((name) => `go.etcd.io/etcd/${name}/v3@v${version}`)
  go(aside, 'mod', 'init', 'example.org/etcd')
  go(aside, 'get', ...modules)
  for (const name of ['etcd', 'etcdctl']) go(aside, 'build', '-o', `bin/${name}`, `./${name}`)
  go(aside, 'build', '-o', 'bin/etcdutl', 'go.etcd.io/etcd/etcdutl/v3')
  renameSync(aside, home)
  return programs
}

function go(cwd: string, ...words: readonly string[]): void {
  const { status, error, stderr } = spawnSync('go', words, { cwd, encoding: 'utf8', timeout: BUILD_LIMIT })
  if (status !== 0) throw new Error(`go ${words[0]}: ${error?.message ?? stderr.slice(-3_000)}`)
}
