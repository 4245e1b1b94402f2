import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Issued } from './certificates.ts'
import { accepts, freePort } from './nginx.ts'

const [POSTGRES = ''] = globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().reverse()
const isRoot = process.getuid?.() === 0
/** PostgreSQL refuses to run as root. */
const owner = isRoot ? ownerNamed('postgres') : null

/** Why tests with PostgreSQL cannot run here, or false. */
export const postgresqlMissing: string | false =
  POSTGRES === '' || (isRoot && owner === null)
    ? 'PostgreSQL is not installed (Debian: postgresql); nothing was checked against it'
    : false

/** Why tests with MariaDB cannot run here, or false. */
export const mariadbMissing: string | false =
  spawnSync('mariadbd', ['--no-defaults', '--version']).status === 0 &&
  spawnSync('mariadb-install-db', ['--help']).error === undefined
    ? false
    : 'MariaDB is not installed (Debian: mariadb-server); nothing was checked against it'

/** A real database server on a free loopback port, with the user `gateway` and the database `users`, which a test can stop and restart. */
export class SqlServer implements AsyncDisposable {
  readonly port: number
  readonly #directory: string
  readonly #start: () => ChildProcess
  #child: ChildProcess | null = null

  private constructor(port: number, directory: string, start: () => ChildProcess) {
    this.port = port
    this.#directory = directory
    this.#start = start
  }

  /** PostgreSQL with the password `right`; with TLS where an identity is given. */
  static async postgresql(sql: string, identity: Issued | null = null): Promise<SqlServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-postgresql-'))
    if (owner !== null) chownSync(directory, owner.uid, owner.gid)
    const options = { cwd: directory, ...owner }
    const data = join(directory, 'data')
    const bin = dirname(POSTGRES)
    const port = await freePort()
    await run(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'],
      options,
    )
    const single = ['--single', '-j', '-D', data]
    await run(
      POSTGRES,
      [...single, 'postgres'],
      options,
      `CREATE USER gateway PASSWORD 'right';\n\nCREATE DATABASE users OWNER gateway;\n\n`,
    )
    const rules = "printf 'host all all 127.0.0.1/32 scram-sha-256\\n' > data/pg_hba.conf"
    await run('sh', ['-c', rules], options)
    await run(
      POSTGRES,
      [...single, 'users'],
      options,
      `${sql};\n\nGRANT ALL ON ALL TABLES IN SCHEMA public TO gateway;\n\n`,
    )
    for (const part of ['key', 'certificate'] as const) {
      await run('sh', ['-c', `umask 077; cat > ${part}.pem`], options, identity?.[part])
    }
    const tls =
      identity === null
        ? []
        : ['ssl=on', `ssl_key_file=${directory}/key.pem`, `ssl_cert_file=${directory}/certificate.pem`]
    const flags = ['listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`, 'fsync=off', ...tls]
    const args = ['-D', data, '-p', `${port}`, ...flags.flatMap((flag) => ['-c', flag])]
    const server = new SqlServer(port, directory, () => spawn(POSTGRES, args, { ...options, stdio: 'ignore' }))
    await server.restart()
    return server
  }

  /** MariaDB with the password `right`; with TLS where an identity is given. */
  static async mariadb(sql: string, identity: Issued | null = null): Promise<SqlServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-mariadb-'))
    const data = join(directory, 'data')
    const port = await freePort()
    const user = isRoot ? ['--user=root'] : []
    await run('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, '--skip-test-db', ...user], {})
    const tls = identity === null ? [] : [`--ssl-key=${identity.keyFile}`, `--ssl-cert=${identity.certificateFile}`]
    const shared = ['--no-defaults', `--datadir=${data}`, '--character-set-server=utf8mb4', ...user, ...tls]
    await run(
      'mariadbd',
      [...shared, '--bootstrap'],
      {},
      `FLUSH PRIVILEGES;\nCREATE DATABASE users;\nCREATE USER gateway@'%' IDENTIFIED BY 'right';\nGRANT ALL ON users.* TO gateway@'%';\nUSE users;\n${sql};\n`,
    )
    const args = [...shared, '--bind-address=127.0.0.1', `--port=${port}`, `--socket=${directory}/socket`]
    const server = new SqlServer(port, directory, () => spawn('mariadbd', args, { stdio: 'ignore' }))
    await server.restart()
    return server
  }

  async restart(): Promise<void> {
    this.#child = this.#start()
    await accepts(this.port, this.#child)
  }

  /** Ends the server, with its connections. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    // SIGQUIT of PostgreSQL ends its processes, too; those of a killed one would go on.
    child.kill(child.spawnfile === POSTGRES ? 'SIGQUIT' : 'SIGKILL')
    await exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** Runs a program to its end with an input. */
async function run(program: string, words: readonly string[], options: SpawnOptions, input = ''): Promise<void> {
  const child = spawn(program, words, { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
  // A program that reads no input may end first.
  child.stdin?.on('error', () => {}).end(input)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} exited with ${code}`)
}

function ownerNamed(name: string): { readonly uid: number; readonly gid: number } | null {
  const id = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' })
  const [user, group] = [id('-u'), id('-g')]
  return user.status === 0 ? { uid: Number(user.stdout), gid: Number(group.stdout) } : null
}
