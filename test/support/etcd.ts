import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EtcdClient, type EtcdSettings } from '#etcd'
import type { Authority, Issued } from './certificates.ts'
import { accepts, freePort } from './nginx.ts'
import { waitUntil } from './waiting.ts'

/** Why tests with etcd cannot run here, or false. */
export const etcdMissing: string | false =
  spawnSync('etcd', ['--version']).status === 0 && spawnSync('etcdctl', ['version']).status === 0
    ? false
    : 'etcd or etcdctl is not on the PATH; nothing was checked against it'

/** Files of a member with TLS: its own certificate, and the authority of clients. */
export interface MemberTls {
  readonly authority: Authority
  readonly issued: Issued
  /** Whether clients need a certificate of the authority; true by default. */
  readonly clientCertificates?: boolean
}

interface MemberPlan {
  readonly name: string
  readonly url: string
  readonly peerUrl: string
  readonly directory: string
  /** `name=peerUrl` of all members. */
  readonly cluster: string
  readonly tls: MemberTls | null
  readonly args: readonly string[]
}

/** A real member of etcd on free loopback ports, which a test can stop and restart with its data. */
export class EtcdMember implements AsyncDisposable {
  readonly url: string
  readonly #plan: MemberPlan
  #child: ChildProcess

  private constructor(plan: MemberPlan) {
    this.url = plan.url
    this.#plan = plan
    this.#child = spawned(plan)
  }

  /** Starts a cluster of one member with further arguments, such as `--quota-backend-bytes`. */
  static async start(args: readonly string[] = [], tls: MemberTls | null = null): Promise<EtcdMember> {
    const [member] = await EtcdMember.startAll(['one'], args, tls)
    return member as EtcdMember
  }

  /** Starts a cluster; resolves when it has a leader. */
  static async startAll(
    names: readonly string[],
    args: readonly string[] = [],
    tls: MemberTls | null = null,
  ): Promise<EtcdMember[]> {
    const base = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gateway-etcd-'))
    const places = []
    for (const name of names) {
      const url = `${tls === null ? 'http' : 'https'}://127.0.0.1:${await freePort()}`
      places.push({ name, url, peerUrl: `http://127.0.0.1:${await freePort()}` })
    }
    const cluster = places.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')
    const members = places.map(
      (place) => new EtcdMember({ ...place, directory: join(base, place.name), cluster, tls, args }),
    )
    try {
      for (const member of members) await member.listening()
      // Answered by a leader.
      await waitUntil('etcd had a leader', () => members[0]!.isHealthy())
    } catch (error) {
      for (const member of members) await member[Symbol.asyncDispose]()
      throw error
    }
    return members
  }

  get pid(): number {
    return this.#child.pid as number
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  async listening(): Promise<void> {
    await accepts(this.port, this.#child)
  }

  /** Whether it confirms a read with the majority. */
  isHealthy(): Promise<boolean> {
    const answer =
      this.#plan.tls === null
        ? fetch(`${this.url}/health`, { signal: AbortSignal.timeout(2_000) }).then((response) => response.ok)
        : this.ctl('endpoint', 'health', '--command-timeout=2s').then(() => true)
    return answer.catch(() => false)
  }

  /** Whether it is the leader of its cluster. */
  async isLeader(): Promise<boolean> {
    const [{ Status }] = JSON.parse(await this.ctl('endpoint', 'status', '--write-out=json'))
    return Status.leader === Status.header.member_id
  }

  /** Runs `etcdctl`. */
  async ctl(...args: string[]): Promise<string> {
    const { tls } = this.#plan
    const files =
      tls === null
        ? []
        : [
            `--cacert=${tls.authority.certificateFile}`,
            `--cert=${tls.issued.certificateFile}`,
            `--key=${tls.issued.keyFile}`,
          ]
    const env = { ...process.env, ETCDCTL_API: '3' }
    const all = [`--endpoints=${this.url}`, '--command-timeout=30s', ...files, ...args]
    return (await promisify(execFile)('etcdctl', all, { env })).stdout.trim()
  }

  /** Requires authentication: `root`, and users with a role that reads and writes a prefix. All have `secret-NAME` as password. */
  async enableAuthentication(users: Readonly<Record<string, string>>): Promise<void> {
    const ask = async (path: string, message: object) => {
      const response = await fetch(`${this.url}/v3/auth/${path}`, { method: 'POST', body: JSON.stringify(message) })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    }
    for (const [name, prefix] of Object.entries({ root: '', ...users })) {
      await ask('user/add', { name, password: `secret-${name}` })
      await ask('role/add', { name })
      await ask('user/grant', { user: name, role: name })
      if (prefix === '') continue
      const key = Buffer.from(prefix)
      const end = Buffer.from(prefix)
      end[end.length - 1]! += 1
      const range = { key: key.toString('base64'), range_end: end.toString('base64') }
      await ask('role/grant', { name, perm: { permType: 'READWRITE', ...range } })
    }
    await ask('enable', {})
  }

  /** Kills the process, as in a crash. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  /** Starts it again with its data. */
  async restart(): Promise<void> {
    this.#child = spawned(this.#plan)
    await this.listening()
  }

  /** Kills it and starts it again with the data of a snapshot of `etcdctl snapshot save`. The others of its cluster are killed before, and restored from it too. */
  async restoreFrom(snapshot: string): Promise<void> {
    const { name, peerUrl, directory, cluster } = this.#plan
    await this.kill()
    await rm(directory, { recursive: true, force: true })
    const place = [`--name=${name}`, `--data-dir=${directory}`]
    const urls = [`--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=${cluster}`]
    // Removed from etcdctl in 3.6; 3.4 has no etcdutl.
    const hasUtility = spawnSync('etcdutl', ['version']).status === 0
    const restoring = ['snapshot', 'restore', snapshot, ...place, ...urls]
    if (hasUtility) await promisify(execFile)('etcdutl', restoring)
    else await this.ctl(...restoring)
    await this.restart()
  }

  /** Stops responding, with connections open. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#plan.directory, { recursive: true, force: true })
    // The folder of the cluster is empty with its last member.
    await rmdir(join(this.#plan.directory, '..')).catch(() => {})
  }
}

function spawned({ name, url, peerUrl, directory, cluster, tls, args }: MemberPlan): ChildProcess {
  const files =
    tls === null
      ? []
      : [
          `--cert-file=${tls.issued.certificateFile}`,
          `--key-file=${tls.issued.keyFile}`,
          `--trusted-ca-file=${tls.authority.certificateFile}`,
          `--client-cert-auth=${tls.clientCertificates ?? true}`,
        ]
  const all = [
    `--name=${name}`,
    `--data-dir=${directory}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=${cluster}`,
    '--heartbeat-interval=50',
    '--election-timeout=500',
    '--bcrypt-cost=4',
    '--logger=zap',
    '--log-level=panic',
    ...files,
    ...args,
  ]
  return spawn('etcd', all, { stdio: 'ignore' })
}

/** A client of members, or of other URLs, that begins with the first; its times are long enough for a busy machine. */
export function etcdClient(
  members: readonly (EtcdMember | string)[],
  settings: Partial<EtcdSettings> = {},
): EtcdClient {
  return new EtcdClient({
    endpoints: members.map((each) => (typeof each === 'string' ? each : each.url)),
    username: null,
    password: () => null,
    tls: null,
    random: () => 0,
    callTimeout: 20_000,
    connectTimeout: 10_000,
    ...settings,
  })
}
