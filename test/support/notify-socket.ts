import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { once, waitUntil } from './waiting.ts'

/** Prints each datagram on a line, assignments separated by blanks. Node has no Unix datagram sockets. */
const RECEIVER = `
use Socket;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($socket, sockaddr_un($ARGV[0])) or die "bind: $!";
$| = 1;
print "bound\\n";
while (defined recv($socket, my $message, 4096, 0)) { $message =~ s/\\n/ /g; print "$message\\n"; }
`

/** Why notifications can not be received here; false where they can. */
export const notifyMissing = ['systemd-notify', 'perl'].every(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
)
  ? false
  : 'NOTICE: needs systemd-notify and perl; to have them: apt-get install systemd perl'

/** The socket by which systemd receives notifications. */
export class NotifySocket implements AsyncDisposable {
  readonly path: string
  readonly #child: ChildProcess
  readonly messages: string[] = []

  private constructor(path: string) {
    this.path = path
    this.#child = spawn('perl', ['-e', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  static async open(path: string): Promise<NotifySocket> {
    const socket = new NotifySocket(path)
    const lines = createInterface({ input: socket.#child.stdout as NodeJS.ReadableStream })
    await once(lines, 'line')
    lines.on('line', (line: string) => socket.messages.push(line))
    return socket
  }

  /** Position of the first message that matches, from a position on, once it is received. */
  async until(pattern: RegExp, from = 0): Promise<number> {
    const at = () => this.messages.findIndex((message, position) => position >= from && pattern.test(message))
    await waitUntil(`a notification matches ${pattern}`, () => at() >= 0)
    return at()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }
}
