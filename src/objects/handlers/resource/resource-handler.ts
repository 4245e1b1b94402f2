import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HandlerKind } from '#contracts'
import { ConfigError, config, type Directories, defineType, list, string } from '#schema'
import { EVENTS } from '../log-events.ts'
import { contains } from './open-file.ts'
import { isServableName, normalBasePath } from './requested-file.ts'
import { serveFiles } from './serve-files.ts'

/** Serves files. */
export const ResourceHandler = defineType({
  name: 'ResourceHandler',
  kind: HandlerKind,
  summary: 'Serves static files from local directories.',
  events: [EVENTS.FILE_UNREADABLE],
  config: {
    directories: list(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
      description: 'Directories in the order in which they are searched; a relative one is in the instance directory.',
    }),
    basePath: config(string()).default('').meta({
      description: 'Prefix of the request path that is mapped to the directories; empty or "/" for none.',
    }),
    welcomePages: list(config(string())).default([]).meta({
      description: 'Names of files served for a directory, in order of preference.',
    }),
  },
  check({ basePath, welcomePages }, report) {
    try {
      normalBasePath(basePath)
    } catch (error) {
      report('/basePath', (error as Error).message)
    }
    for (const [at, page] of welcomePages.entries()) {
      if (isServableName(page)) continue
      report(`/welcomePages/${at}`, `expected the name of a file such as "index.html", got ${JSON.stringify(page)}`)
    }
  },
  async create({ directories, basePath, welcomePages }, env) {
    const roots = directories.map((directory) => resolve(env.directories.instance, directory))
    for (const [at, root] of roots.entries()) {
      const problem = await problemOf(root, env.directories)
      if (problem === null) continue
      const message = `${problem}, got ${JSON.stringify(directories[at])}`
      throw new ConfigError([{ pointer: `/directories/${at}`, message }])
    }
    const { clock, logger } = env
    return serveFiles({ roots, basePath: normalBasePath(basePath), welcomePages, clock, logger })
  },
})

/** Why a directory can not be served, or null. */
async function problemOf(root: string, { config, secrets, scripts, temporary }: Directories): Promise<string | null> {
  const real = await realpath(root).catch(() => null)
  if (real === null || !(await stat(real)).isDirectory()) return 'expected a directory that exists'
  for (const own of [config, secrets, scripts, temporary]) {
    const there = await realpath(own).catch(() => own)
    // Serving the instance directory would serve its secrets.
    if (contains(real, there)) return 'expected a directory that holds none of the gateway itself'
  }
  const hidden = await realpath(secrets).catch(() => secrets)
  return contains(hidden, real) ? 'expected a directory outside of the secrets' : null
}
