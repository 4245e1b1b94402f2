import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '#files'
import { INSTANCE_VERSION } from '#instance'

/** The folders of an instance (decisions 2). */
const FOLDERS = ['config/routes', 'scripts', 'secrets', 'audit-schemas', 'extra', 'logs', 'tmp'] as const

/** Top-level names of an instance. */
const OWN_NAMES = [...new Set(FOLDERS.map((folder) => folder.split('/')[0] as string))]

const ADMIN = `{
  // Version of the instance. A gateway that knows only older ones does not start on it.
  "version": ${INSTANCE_VERSION},

  // Listeners for traffic. More connectors, or several ports in one, are allowed.
  "connectors": [{ "port": 8080 }],

  // Listener for management: health, information, routes, metrics. Reachable from this machine only.
  "adminConnector": { "port": 8085, "host": "127.0.0.1" },

  // The management API needs the password in secrets/gateway.admin.password. Without that file,
  // DEVELOPMENT accepts every process of this machine without a password, PRODUCTION none.
  "mode": "PRODUCTION"
}
`

const SAMPLE_ROUTE = `{
  // A route handles the requests for which its condition is true. Routes are tried in the order of
  // their names; the default of "name" is the name of the file.
  "condition": "\${find(request.uri.path, '^/hello')}",

  // This handler responds itself. To forward requests to an application, write instead
  //   "baseURI": "http://localhost:3000",
  //   "handler": "ReverseProxyHandler"
  "handler": {
    "type": "StaticResponseHandler",
    "config": {
      "status": 200,
      "headers": { "Content-Type": ["text/plain; charset=utf-8"] },
      "entity": "Hello from the gateway. Change me while it runs: \${request.uri.path}\\n"
    }
  }
}
`

/** The sample route, relative to the instance. */
export const SAMPLE_ROUTE_FILE = 'config/routes/hello.json'

/** The password of the management API, relative to the instance (decisions 3). */
export const PASSWORD_FILE = 'secrets/gateway.admin.password'

const FILES: Readonly<Record<string, string>> = {
  'config/admin.json': ADMIN,
  [SAMPLE_ROUTE_FILE]: SAMPLE_ROUTE,
}

/** Names of an instance that exist already. */
export function existingFiles(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).filter((name) => OWN_NAMES.includes(name))
}

/** Creates the missing folders of an instance. */
export function createFolders(directory: string): void {
  for (const folder of FOLDERS) makeDirectory(join(directory, folder))
  // Secrets are readable only by the user that runs the gateway.
  chmodSync(join(directory, 'secrets'), 0o700)
}

/** Creates an instance with its sample files; returns the files, relative to it. */
export function createInstance(directory: string): string[] {
  createFolders(directory)
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(directory, path), text, { flag: 'wx' })
  const password = `${randomBytes(24).toString('base64url')}\n`
  writeFileSync(join(directory, PASSWORD_FILE), password, { flag: 'wx', mode: 0o600 })
  return [...Object.keys(FILES), PASSWORD_FILE]
}
