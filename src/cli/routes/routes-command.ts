import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { chosenInstance, INSTANCE_OPTION, missingInstance } from '../instance-settings.ts'
import { MANAGEMENT_OPTIONS } from '../management/management-options.ts'
import { withManagement } from '../management/open-management.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { type Paint, paintFor, printable, table, writeJson } from '../terminal.ts'
import { type ListedRoute, type ListedRouter, routesOfFolder, routesOfGateway } from './listed-routes.ts'

/** `gateway routes`: the routes of a running gateway or of a folder. */
export const command: Command = {
  usage: [
    'routes [--instance DIR] [--gateway URL] [--password-file FILE] [--ca FILE] [--json]',
    'routes --folder [--instance DIR] [--json]',
  ],
  description: [
    'Lists the routes of a running gateway, router by router, in the order in which they are tried: position, id, name, state and condition, then the problems of routes. A failed route has a file that does not load; where it has a position, its last good version is served. A degraded one has an object that works without one of its peers.',
    'With --folder, it lists the route files of the instance without a gateway, by building them as validate does.',
  ],
  options: [
    INSTANCE_OPTION,
    ...MANAGEMENT_OPTIONS,
    { name: 'folder', description: 'List the files of the instance; no gateway is needed.' },
  ],
  operands: { least: 0, most: 0 },
  examples: [
    { line: 'gateway routes --instance ./my-gateway', note: 'of a running gateway' },
    {
      line: `gateway routes --json | jq -r '.routers[].routes[] | select(.state == "failed") | .file'`,
      note: 'files that do not load',
    },
  ],
  exits: [
    [EXIT.unavailable, 'the gateway can not be reached, or does not accept the password'],
    [EXIT.configuration, 'there is no such instance; with --folder: admin.json or config.json can not be used'],
  ],
  async run(args, context) {
    if (args.has('folder')) return await listFolder(chosenInstance(args, context).instance, args.json, context)
    return withManagement('routes', args, context, async (client) =>
      print('running', await routesOfGateway(client), args.json, context),
    )
  },
}

async function listFolder(instance: string, json: boolean, context: ProcessContext): Promise<number> {
  const missing = missingInstance(instance)
  const { routers, problems } =
    missing === null ? await routesOfFolder(instance, context) : { routers: [], problems: [missing] }
  for (const problem of problems) context.stderr.write(`${formatLocated(problem)}\n`)
  return problems.length > 0 ? EXIT.configuration : print('folder', routers, json, context)
}

function print(
  source: 'running' | 'folder',
  routers: readonly ListedRouter[],
  json: boolean,
  context: ProcessContext,
): number {
  const { stdout } = context
  if (json) {
    writeJson(stdout, { source, routers })
    return EXIT.ok
  }
  const paint = paintFor(stdout, context)
  for (const [at, { router, directory, routes }] of routers.entries()) {
    const heading = routers.length > 1 ? [`${at > 0 ? '\n' : ''}${paint('bold', printable(router))} ${directory}`] : []
    const lines = table(HEADINGS, routes, { cells, colour }, context)
    stdout.write(`${[...heading, ...lines, ...errorLines(routes, paint)].join('\n')}\n`)
  }
  if (routers.length === 0) stdout.write('no router\n')
  return EXIT.ok
}

const HEADINGS = ['ORDER', 'ID', 'NAME', 'STATE', 'ERRORS', 'CONDITION']

function cells({ order, id, name, state, errors, condition }: ListedRoute): string[] {
  const texts = [order === null ? '-' : String(order), id, name, state, String(errors.length)]
  return [...texts, condition === '' ? '(every request)' : condition]
}

function colour({ state }: ListedRoute) {
  if (state === 'failed') return 'red'
  return state === 'degraded' ? 'yellow' : null
}

function errorLines(routes: readonly ListedRoute[], paint: Paint): string[] {
  const lines = routes.flatMap(({ file, errors }) =>
    errors.map((error) => `${paint('red', printable(file))}: ${printable(error)}`),
  )
  return lines.length === 0 ? [] : ['', ...lines]
}
