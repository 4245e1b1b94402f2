import { join } from 'node:path'
import { DEMO_ROWS } from '#dev'
import { shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { shellWord } from '../shell-word.ts'
import { aligned, paintFor } from '../terminal.ts'

/** Addresses of a running demo. */
export interface DemoFacts {
  readonly traffic: string
  /** Traffic with TLS. */
  readonly secure: string
  readonly admin: string
  readonly application: string
  readonly accessManager: string
  readonly instance: string
}

const COMMAND = join(import.meta.dirname, '..', '..', '..', 'bin', 'gateway')

/** The commands of the demo with their addresses filled in. */
export function filledRows(facts: DemoFacts): { title: string; line: string }[] {
  const values: Readonly<Record<string, string>> = {
    ...facts,
    am: facts.accessManager,
    instance: shellWord(facts.instance),
    gateway: shellWord(shownPath(COMMAND)),
  }
  return DEMO_ROWS.map(({ title, line }) => ({
    title,
    line: line.replace(/\{(traffic|secure|admin|am|instance|gateway)\}/g, (_, name: string) => values[name] as string),
  }))
}

/** Output of the demo once it runs. */
export function demoText(facts: DemoFacts, context: ProcessContext): string {
  const paint = paintFor(context.stdout, context)
  const places = aligned([
    ['  traffic', `${facts.traffic}/app/`],
    ['  behind a login', `${facts.traffic}/home as demo with changeit`],
    ['  with TLS', `${facts.secure}/secure/`],
    ['  management', `${facts.admin}/api/info`],
    ['  access manager', facts.accessManager],
    ['  routes', join(facts.instance, 'config', 'routes')],
    ['  audit trail', join(facts.instance, 'logs', 'audit-access')],
  ])
  const rows = aligned(filledRows(facts).map(({ title, line }) => [`  ${title}`, line]))
  return [
    '',
    paint(
      'green',
      'The demo is ready. Open the first address in a browser, or try the lines below in another terminal.',
    ),
    ...places,
    '',
    ...rows,
    '',
    paint('bold', 'Ctrl-C stops the demo. What follows is its log, with an audit event for each request.'),
    '',
  ].join('\n')
}
