import { existsSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Name of the socket by which gateways of an instance find each other, in its folder for temporary files. */
const NAME = 'take-over.sock'

/** Bytes of the address of a Unix socket. */
const MAX_ADDRESS = 100

/** Milliseconds. */
const CONNECT_LIMIT = 2_000

/** Milliseconds in which a gateway that has ended is recognized, and between two attempts. */
const END_LIMIT = 2_000
const END_PAUSE = 20

/** A message that each gateway answers at once, in the form of SocketPort. */
const PING = '[5]\n'

/** Why a gateway can not take over from the one that runs. */
export class TakeOverError extends Error {
  override readonly name = 'TakeOverError'
}

/** Path of the socket in a folder. */
export function handoverPath(folder: string): string {
  return join(folder, NAME)
}

/** Connects to the gateway that runs; null where none does. */
export async function connectToRunning(path: string): Promise<Socket | null> {
  const owner = ownerOf(path)
  if (owner === null) return null
  const own = process.getuid?.() ?? owner
  if (owner !== own) {
    throw new TakeOverError(
      `the gateway that runs belongs to the user with id ${owner}, this is ${own}; take over as the same user`,
    )
  }
  const socket = connect(addressOf(path))
  const { promise, resolve, reject } = Promise.withResolvers<Socket | null>()
  socket.once('connect', () => resolve(socket))
  socket.once('error', (error: NodeJS.ErrnoException) => {
    // Left behind by a process that was killed.
    if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(null)
    else reject(new TakeOverError(`${path} can not be used: ${error.message}`))
  })
  const timer = setTimeout(() => {
    reject(
      new TakeOverError(`the gateway that runs does not accept connections at ${path}; stop it, then start this one`),
    )
    socket.destroy()
  }, CONNECT_LIMIT)
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Whether the gateway that ran, with this process id, has ended. A process that is killed accepts connections for a moment, and one that
 * runs may have lost the file of its socket.
 */
export async function hasEnded(path: string, pid: number): Promise<boolean> {
  for (const end = performance.now() + END_LIMIT; performance.now() < end; await delay(END_PAUSE)) {
    const socket = await connectToRunning(path).catch(() => undefined)
    if (socket === null && (existsSync(path) || !exists(pid))) return true
    if (socket && (await isAnswered(socket))) return false
  }
  return false
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** False where the connection closes, or after the limit. */
function isAnswered(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => socket.destroy(), END_LIMIT)
  socket.once('data', () => resolve(true)).on('error', () => {})
  socket.once('close', () => resolve(false)).write(PING)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

/** Listens for gateways that take over; only processes of the same user can connect. Null where another gateway listens. */
export async function listenForSuccessors(path: string, accept: (socket: Socket) => void): Promise<Server | null> {
  const running = ownerOf(path) === null ? null : await connectToRunning(path)
  if (running !== null) {
    running.destroy()
    return null
  }
  // With offers of a switch that a process has left behind when it was killed.
  for (const name of readdirSync(dirname(path))) if (name.startsWith(NAME)) rmSync(join(dirname(path), name))
  const server = createServer(accept)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('listening', resolve).once('error', reject)
  // The file is created in this call, and has no rights for others at any time.
  const mask = process.umask(0o177)
  try {
    server.listen(addressOf(path))
  } finally {
    process.umask(mask)
  }
  await promise
  server.unref()
  return server
}

/** User id of the owner of a socket; null where the file does not exist. */
function ownerOf(path: string): number | null {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  if (!stats.isSocket()) throw new TakeOverError(`${path}: expected a Unix socket, found another file; remove it`)
  return stats.uid
}

/** Unix sockets have short addresses: a longer path goes through the descriptor of its folder, on Linux. */
function addressOf(path: string): string {
  if (Buffer.byteLength(path) <= MAX_ADDRESS || process.platform !== 'linux') return path
  return `/proc/self/fd/${openSync(dirname(path), 'r')}/${NAME}`
}
