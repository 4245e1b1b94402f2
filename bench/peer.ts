import { join } from 'node:path'
import { installed } from './load.ts'
import { ServerProcess } from './server-process.ts'
import { node, root, type Workspace } from './workspace.ts'

/** A server for comparison. */
export interface Peer {
  readonly server: ServerProcess
  readonly url: string
  /** Requests before it is measured, where it needs more than others. */
  readonly warmUp?: number
}

/** Starts a peer in front of the application; resolves to a text with the reason if it is not available. */
export type StartPeer = (workspace: Workspace, port: number, upstream: number) => Promise<Peer | string>

/** Starts a file of bench/peers. */
export function startScript(name: string, port: number, file: string, ...args: readonly string[]): Promise<Peer> {
  return start(name, port, scriptCommand(port, file, args))
}

/** The same for the application behind the measured servers. */
export function startUpstreamScript(
  name: string,
  port: number,
  file: string,
  ...args: readonly string[]
): Promise<Peer> {
  return start(name, port, scriptCommand(port, file, args), true)
}

function scriptCommand(port: number, file: string, args: readonly string[]): [string, ...string[]] {
  return [node, join(root, 'bench', 'peers', file), String(port), ...args]
}

/** Starts a system program, if it is installed. */
export async function startProgram(
  name: string,
  port: number,
  command: (program: string) => [string, ...string[]],
  isUpstream = false,
): Promise<Peer | string> {
  const program = installed(name)
  if (program === undefined) return `it is not installed (apt-get install ${name})`
  return start(name, port, command(program), isUpstream)
}

/** Starts nginx with a configuration, written to a file of this name. */
export function startNginx(
  workspace: Workspace,
  port: number,
  file: string,
  config: string,
  isUpstream = false,
): Promise<Peer | string> {
  const path = workspace.write(file, config)
  const command = (program: string): [string, ...string[]] => [
    program,
    '-c',
    path,
    '-p',
    workspace.path,
    '-e',
    'stderr',
  ]
  return startProgram('nginx', port, command, isUpstream)
}

/** Starts HAProxy with a configuration, written to a file of this name. */
export function startHaproxy(workspace: Workspace, port: number, file: string, config: string): Promise<Peer | string> {
  const path = workspace.write(file, config)
  return startProgram('haproxy', port, (program) => [program, '-db', '-f', path])
}

/** Starts a server, and waits for its first response. */
export async function start(
  name: string,
  port: number,
  command: readonly [string, ...string[]],
  isUpstream = false,
): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`
  return { server: await ServerProcess.start({ name, command, readyUrl: `${url}/`, isUpstream }), url }
}
