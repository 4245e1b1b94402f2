import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { decodeRouteFile, type RouteFile } from '#control'
import type { LiveRouter, Routers } from '#unit'
import { type DryRun, type DryRunOptions, openDryRun } from '../dry-run/dry-run.ts'
import { RouteFolders } from '../dry-run/route-folders.ts'
import { type LocatedProblem, locateProblems, shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { shellWord } from '../shell-word.ts'

/** Problems and warnings of files that are not deployed. */
interface RouteFileFindings {
  readonly problems: readonly LocatedProblem[]
  readonly warnings: readonly LocatedProblem[]
  readonly checked: string
  readonly files: number
}

const YAML = { pointer: '', message: 'YAML is not read: files of routes are JSON' }

/** Builds each file as a route of an instance, or of an empty one. Deployed routes are ignored. */
export async function checkRouteFiles(
  files: readonly string[],
  instance: string | null,
  context: ProcessContext,
  given: DryRunOptions,
): Promise<RouteFileFindings> {
  const empty = instance === null ? mkdtempSync(join(tmpdir(), 'gateway-validate-')) : null
  try {
    const folders = new RouteFolders('withheld')
    // An empty instance has no secrets.
    const options = { ...given, secretsLookedUp: given.secretsLookedUp === true && instance !== null }
    await using dryRun = await openDryRun(instance ?? (empty as string), context, folders, options)
    const problems = [...dryRun.problems]
    const warnings: LocatedProblem[] = []
    const router = mainRouter(dryRun)
    if (router === null && problems.length === 0) {
      const message = 'the instance has no Router, so no route can be checked in it'
      problems.push({ file: instance as string, pointer: '', message })
    }
    folders.provideRoutes()
    for (const file of router === null ? [] : files) {
      const found = await checkRouteFile(resolve(file), router as LiveRouter, dryRun)
      problems.push(...found.problems)
      warnings.push(...found.warnings)
    }
    // Routers in the files have their own folders.
    problems.push(...folders.problems)
    return { problems, warnings, checked: files.join(', '), files: files.length }
  } finally {
    if (empty !== null) rmSync(empty, { recursive: true, force: true })
  }
}

function mainRouter({ unit, directories }: DryRun): LiveRouter | null {
  const routers = unit?.routers.live ?? []
  return routers.find(({ directory }) => directory === directories.routes) ?? routers[0] ?? null
}

async function checkRouteFile(
  path: string,
  router: LiveRouter,
  { unit }: DryRun,
): Promise<Pick<RouteFileFindings, 'problems' | 'warnings'>> {
  const file = readRouteFile(path)
  if (file.route === null) return { problems: locateProblems(path, null, file.problems), warnings: [] }
  const { id, name, revision, document } = file.route
  const put = { file: file.file, id, name, revision, text: file.text }
  const routers = unit?.routers as Routers
  const found = await routers.prepare(0, router.directory, [{ put }])
  const problems = locateProblems(
    path,
    document,
    found.flatMap((change) => change.problems),
  )
  routers.commit(0, problems.length === 0 ? [0] : [])
  const route = router.routes.find((candidate) => candidate.id === id)
  return { problems, warnings: locateProblems(path, document, route?.warnings ?? []) }
}

function readRouteFile(path: string): RouteFile {
  const folder = dirname(path)
  // As a route, each of its fields would be reported as unknown.
  if (basename(path) === 'admin.json' && basename(folder) === 'config') {
    const message = `no file of a route; it is checked with its instance: gateway validate --instance ${shellWord(shownPath(dirname(folder)))}`
    return { file: path, text: '', stamp: '', route: null, problems: [{ pointer: '', message }] }
  }
  try {
    const file = decodeRouteFile(basename(path), readFileSync(path), '')
    return file.route === null && /\.ya?ml$/i.test(path) ? { ...file, problems: [YAML] } : file
  } catch (error) {
    const message = `the file can not be read: ${(error as Error).message}`
    return { file: path, text: '', stamp: '', route: null, problems: [{ pointer: '', message }] }
  }
}
