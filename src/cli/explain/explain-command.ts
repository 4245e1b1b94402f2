import { simulateAdmission } from '#unit'
import type { Command } from '../command.ts'
import { openDryRun } from '../dry-run/dry-run.ts'
import { RouteFolders } from '../dry-run/route-folders.ts'
import { EXIT } from '../exit-codes.ts'
import {
  chosenInstance,
  DEFINE_OPTION,
  definedProperties,
  INSTANCE_OPTION,
  missingInstance,
} from '../instance-settings.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { shellWord } from '../shell-word.ts'
import { paintFor, writeJson } from '../terminal.ts'
import { explain, refusal } from './explanation.ts'
import { explanationText } from './explanation-text.ts'
import { simulatedRequest } from './simulated-request.ts'

/** `gateway explain`: the route that matches a request, and why. */
export const command: Command = {
  usage: [
    "explain [--instance DIR] 'METHOD URL' [-H 'Name: value']... [--data TEXT] [--from ADDRESS] [-Dname=value]... [--json]",
  ],
  description: [
    'Shows how a request would be processed, without sending it: the path as the listener normalizes it or the reason to refuse it, the routes in the order they are tried, the result of each condition with the values of its parts, and the filters and handlers of the route that matches, with the server to which a ReverseProxyHandler would send the request.',
    'Conditions are evaluated by the code that serves traffic. Filters and handlers are listed, not run. Values of env and system are not shown, since they may be secret.',
  ],
  options: [
    INSTANCE_OPTION,
    { name: 'header', short: 'H', value: "'Name: value'", repeated: true, description: 'A header of the request.' },
    { name: 'data', short: 'd', value: 'TEXT', description: 'Body of the request, for conditions that read it.' },
    { name: 'from', value: 'ADDRESS', description: 'Client address; 127.0.0.1 by default.' },
    DEFINE_OPTION,
  ],
  operands: { least: 1, most: 1 },
  examples: [
    {
      line: "gateway explain --instance ./my-gateway 'GET http://localhost:8080/hello'",
      note: 'which route handles this?',
    },
    { line: `gateway explain 'POST /orders' -H 'Host: shop.example.com' -d '{"express":true}'`, note: 'with a body' },
  ],
  exits: [[EXIT.configuration, 'admin.json or config.json can not be used']],
  async run(args, context) {
    const { stdout, stderr } = context
    const simulated = simulatedRequest(args)
    const { instance } = chosenInstance(args, context)
    const missing = missingInstance(instance)
    if (missing !== null) return refuse([formatLocated(missing)], context)
    await using dryRun = await openDryRun(instance, context, new RouteFolders(), {
      system: definedProperties(args, context),
    })
    const { unit, settings, problems } = dryRun
    if (unit === null || settings === null)
      return refuse(
        problems.map((problem) => formatLocated(problem)),
        context,
      )
    if (problems.length > 0)
      stderr.write(
        `warning: files with problems are left out; see: gateway validate --instance ${shellWord(instance)}\n`,
      )
    const arrived = simulateAdmission(simulated, settings.unit, unit.storage)
    const request = {
      method: simulated.method,
      received: simulated.target,
      uri: 'exchange' in arrived ? arrived.exchange.request.uri.toString() : null,
    }
    const explanation =
      'exchange' in arrived ? await explain(request, arrived.exchange, dryRun) : refusal(request, arrived)
    if (args.json) writeJson(stdout, explanation)
    else stdout.write(explanationText(explanation, paintFor(stdout, context)))
    return EXIT.ok
  },
}

function refuse(lines: readonly string[], { stderr }: ProcessContext): number {
  for (const line of lines) stderr.write(`${line}\n`)
  return EXIT.configuration
}
