// HAProxy of Debian with the configuration of deploy/fleet/haproxy.cfg, on loopback ports.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepts, freePort } from '#test/nginx'
import { root } from '../../../scripts/steps.ts'

/** Why tests with HAProxy cannot run here, or false. */
export const haproxyMissing: string | false =
  spawnSync('haproxy', ['-v']).status === 0 ? false : 'haproxy is not on the PATH'

/** Name of the response header with the name of the server that was asked. */
export const SERVED_BY = 'x-served-by'

interface Backend {
  readonly name: string
  readonly port: number
  readonly adminPort: number
}

/** A running HAProxy. */
export class Haproxy implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  readonly #directory: string

  private constructor(port: number, child: ChildProcess, directory: string) {
    this.port = port
    this.#child = child
    this.#directory = directory
  }

  static async start(backends: readonly Backend[]): Promise<Haproxy> {
    const port = await freePort()
    const directory = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
    const file = join(directory, 'haproxy.cfg')
    writeFileSync(file, configuration(port, backends))
    const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
    await accepts(port, child)
    return new Haproxy(port, child, directory)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exit
    }
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** The example of deploy/fleet with other addresses, and with the name of the server in responses. */
function configuration(port: number, backends: readonly Backend[]): string {
  const example = readFileSync(join(root, 'deploy/fleet/haproxy.cfg'), 'utf8')
  const servers = backends.map(
    ({ name, port: traffic, adminPort }) => `  server ${name} 127.0.0.1:${traffic} check port ${adminPort}`,
  )
  const lines = example.split('\n').filter((line) => !/^\s+server /.test(line))
  const text = lines
    .join('\n')
    // Each connection needs two descriptors.
    .replace(/maxconn \d+/, 'maxconn 4000')
    .replace(/bind :\d+/, `bind 127.0.0.1:${port}\n  http-after-response set-header ${SERVED_BY} %s`)
  assert.ok(text.includes(`127.0.0.1:${port}`) && /^backend gateways$/m.test(text), 'haproxy.cfg has another form')
  return `${text.trimEnd()}\n${servers.join('\n')}\n`
}
