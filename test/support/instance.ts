import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Content of a file: text and bytes literally, any other value as JSON. */
export type FileContent = unknown

/** Files and settings of a gateway under test. */
export interface InstanceParts {
  /** Files of the instance by their path in it. */
  readonly files?: Readonly<Record<string, FileContent>>
  /** Routes by file name without `.json`. */
  readonly routes?: Readonly<Record<string, FileContent>>
  /** Fields of admin.json beside the ports, which are free ones on loopback. */
  readonly admin?: Readonly<Record<string, unknown>>
  /** Fields of the one traffic connector. */
  readonly connector?: Readonly<Record<string, unknown>>
  readonly units?: number
  /** Modules of the `extra` folder by file name. */
  readonly extra?: Readonly<Record<string, string>>
}

/** A temporary instance folder, deleted at the end of its scope. */
export class TestInstance implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'gateway-instance-'))

  constructor({ files = {}, routes = {}, admin = {}, connector = {}, units = 1, extra = {} }: InstanceParts) {
    mkdirSync(join(this.directory, 'config', 'routes'), { recursive: true })
    this.write('config/admin.json', {
      connectors: [{ port: 0, host: '127.0.0.1', ...connector }],
      gatewayUnits: units,
      // Its lines would be between those of the log.
      accessLog: { destination: 'off' },
      ...admin,
      adminConnector: { port: 0, ...(admin['adminConnector'] as object | undefined) },
      logging: { format: 'json', ...(admin['logging'] as object | undefined) },
    })
    for (const [path, content] of Object.entries(files)) this.write(path, content)
    for (const [name, content] of Object.entries(routes)) this.writeRoute(name, content)
    for (const [name, text] of Object.entries(extra)) this.write(`extra/${name}`, text)
  }

  /** Writes a file atomically: a temporary file, then a rename. */
  write(path: string, content: FileContent): void {
    const target = join(this.directory, path)
    mkdirSync(dirname(target), { recursive: true })
    const aside = join(this.directory, '.being-written')
    const isPlain = typeof content === 'string' || content instanceof Uint8Array
    const written = isPlain ? content : JSON.stringify(content, null, 2)
    writeFileSync(aside, written)
    renameSync(aside, target)
    if (path.startsWith('config/routes/')) record(written)
  }

  writeRoute(name: string, content: FileContent): void {
    this.write(`config/routes/${name}.json`, content)
  }

  remove(path: string): void {
    rmSync(join(this.directory, path), { recursive: true, force: true })
  }

  removeRoute(name: string): void {
    this.remove(`config/routes/${name}.json`)
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Keeps a route for the tests of the Studio that check those of all tests. */
function record(route: string | Uint8Array): void {
  const folder = process.env['TEST_ROUTES']
  if (folder !== undefined) writeFileSync(join(folder, createHash('sha256').update(route).digest('hex')), route)
}
