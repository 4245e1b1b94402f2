import { CATALOGUE } from '#catalogue'
import { Catalogue } from '#heap'
import { CONFIGURATION_FILES, instanceDirectories } from '#instance'
import { documentSchema, loadTypes, typeSchema } from '#schema'
import { UsageError } from './arguments.ts'
import type { Command } from './command.ts'
import { EXIT } from './exit-codes.ts'
import {
  chosenInstance,
  extensionProblem,
  INSTANCE_OPTION,
  instanceTypes,
  requireInstance,
} from './instance-settings.ts'
import { formatLocated } from './problems.ts'
import { aligned, writeJson } from './terminal.ts'

/** `gateway schema`: JSON Schema for editors and pipelines. */
export const command: Command = {
  usage: ['schema [TYPE|admin|config|route] [--json]', 'schema --list [--json]'],
  description: [
    'Prints the JSON Schema (draft 2020-12) of the objects of one type, or of a kind of file (also as admin.json, config.json and route.json); without operand, of route files. It has all its definitions, so that it is used without another file. Types of the instance\'s "extra" folder are included.',
  ],
  options: [{ name: 'list', description: 'List the types instead.' }, INSTANCE_OPTION],
  operands: {
    least: 0,
    most: 1,
    complete: [...CONFIGURATION_FILES.map(({ name }) => name), ...CATALOGUE.map(({ name }) => name)],
  },
  examples: [
    { line: 'gateway schema route > route.schema.json', note: 'for completion and checks in an editor' },
    { line: 'gateway schema admin > admin.schema.json', note: 'the same for admin.json' },
    { line: 'gateway schema StaticResponseHandler', note: 'one type' },
  ],
  exits: [[EXIT.configuration, 'there is no such instance, or a module of its "extra" folder can not be used']],
  async run(args, context) {
    const { stdout } = context
    const { instance, origin } = chosenInstance(args, context)
    if (origin === 'named') requireInstance(instance)
    const directories = instanceDirectories(instance)
    const known = await instanceTypes(directories).catch((error: unknown) => extensionProblem(error, directories))
    if ('file' in known) {
      context.stderr.write(`${formatLocated(known)}\n`)
      return EXIT.configuration
    }
    const types = (await loadTypes(known)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (args.has('list')) {
      const list = types.map(({ name, kind, summary }) => ({ name, kind: kind?.name ?? 'any', summary }))
      if (args.json) writeJson(stdout, list)
      else stdout.write(`${aligned(list.map(({ name, kind, summary }) => [name, kind, summary])).join('\n')}\n`)
      return EXIT.ok
    }
    const [asked = 'route'] = args.operands
    const file = CONFIGURATION_FILES.find(({ name }) => asked === name || asked === `${name}.json`)
    if (file !== undefined) {
      writeJson(stdout, documentSchema(file, types))
      return EXIT.ok
    }
    const definition = new Catalogue(types).find(asked)
    if (definition === null) {
      const known = types.flatMap(({ name, aliases }) => [name, ...aliases])
      throw new UsageError(`unknown type "${asked}"`, { word: asked, known })
    }
    writeJson(stdout, typeSchema(definition, types))
    return EXIT.ok
  },
}
