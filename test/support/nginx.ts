import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why tests with nginx cannot run here, or false. */
export const nginxMissing: string | false =
  spawnSync('nginx', ['-v']).status === 0 ? false : 'nginx is not on the PATH; nothing was checked against it'

/** A real nginx with the given server block on a free loopback port; `files` are served from its root. */
export async function nginx(
  server: string,
  files: Record<string, string | Uint8Array> = {},
): Promise<{ url: string } & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-nginx-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; master_process off; pid ${directory}/nginx.pid; error_log stderr crit;
     events {}
     http { access_log off; ${paths.join(' ')} server { listen 127.0.0.1:${port}; root ${directory}; ${server} } }`,
  )
  const child = spawn('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await accepts(port, child)
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Below the range from which the system assigns ports: no other server or connection of a test gets one of these by chance. */
const PORTS = { min: 20_000, max: 32_000 }

/** A loopback port without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** Waits until a server of the test accepts connections. */
export async function accepts(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 5_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} exited with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  child.kill('SIGKILL')
  throw new Error(`${child.spawnfile} did not listen within 5 seconds`)
}
