import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepts, freePort } from './nginx.ts'

/** Why tests with tinyproxy cannot run here, or false. */
export const tinyproxyMissing: string | false =
  spawnSync('tinyproxy', ['-v']).status === 0 ? false : 'tinyproxy is not on the PATH; nothing was checked against it'

/** A real forward proxy on a free loopback port. */
export interface Tinyproxy extends AsyncDisposable {
  readonly port: number
}

/** Starts tinyproxy with the given lines in its configuration. */
export async function tinyproxy(...lines: string[]): Promise<Tinyproxy> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-tinyproxy-'))
  const port = await freePort()
  const file = join(directory, 'tinyproxy.conf')
  const fixed = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'MaxClients 50', 'LogLevel Critical']
  await writeFile(file, [...fixed, `LogFile "${join(directory, 'log')}"`, ...lines, ''].join('\n'))
  const child = spawn('tinyproxy', ['-d', '-c', file], { stdio: 'ignore' })
  await accepts(port, child)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
