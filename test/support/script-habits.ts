// One gateway for the documents of script habits.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { RunningGateway } from './gateway.ts'
import { type ExpectedExchange, type Habit, LANGUAGES, type Variant } from './script-habit-documents.ts'
import { startHabitServers } from './script-habit-servers.ts'
import type { ReceivedResponse } from './send-request.ts'
import { waitUntil } from './waiting.ts'

/** One gateway with a route for each script, an application that echoes, and nginx. */
export class ScriptHabitsSite implements AsyncDisposable {
  readonly #gateway: RunningGateway
  readonly #origins: Readonly<Record<string, string>>
  readonly #stack: AsyncDisposableStack

  private constructor(gateway: RunningGateway, origins: Readonly<Record<string, string>>, stack: AsyncDisposableStack) {
    this.#gateway = gateway
    this.#origins = origins
    this.#stack = stack
  }

  static async start(habits: readonly Habit[]): Promise<ScriptHabitsSite> {
    await using stack = new AsyncDisposableStack()
    const { origins } = stack.use(await startHabitServers())
    const files: Record<string, unknown> = {
      'config/config.json': CONFIG,
      'secrets/signing': 'a-shared-key-of-thirty-two-bytes',
      'config/users.csv': 'email,username,password\nada@example.com,ada,l&ve lace\n',
    }
    const routes: Record<string, unknown> = {}
    for (const habit of habits) {
      for (const { id, language, source } of habit.variants) {
        const { type, extension } = LANGUAGES[language]
        const file = `${id}.${extension}`
        files[`scripts/${language}/${file}`] = source
        const route = JSON.parse(filled(habit.route, { ...origins, variant: id })) as JsonObject
        routes[id] = {
          condition: `\${request.headers['X-Variant'][0] == '${id}'}`,
          ...(withScript(route, { type, file }) as JsonObject),
        }
      }
    }
    const gateway = stack.use(
      await RunningGateway.start({
        files,
        routes,
        admin: { scriptEnvironment: ['HABIT_*'], scriptFiles: ['config/users.csv'] },
        env: { HABIT_REGION: 'eu', OTHER: 'hidden' },
      }),
    )
    return new ScriptHabitsSite(gateway, origins, stack.move())
  }

  /** Sends the requests of a habit to the route of one script, with the cookies of earlier responses. */
  async run(habit: Habit, variant: Variant): Promise<void> {
    const problems = this.#gateway.problems(`${variant.id}.json`)
    assert.deepEqual(problems, [], `${variant.id} can not be loaded`)
    const jar = new Map<string, string>()
    const exchanges = JSON.parse(
      filled(habit.exchanges, { ...this.#origins, variant: variant.id }),
    ) as ExpectedExchange[]
    for (const [at, { send, headers = {}, body, expect }] of exchanges.entries()) {
      const [method = 'GET', target = '/'] = send.split(' ')
      const from = this.#gateway.log.lines.length
      const cookie = [headers['Cookie'], ...[...jar].map(([name, value]) => `${name}=${value}`)]
        .filter(Boolean)
        .join('; ')
      const response = await this.#gateway.ask(target, {
        method,
        headers: { ...headers, ...(cookie === '' ? {} : { Cookie: cookie }), 'X-Variant': variant.id },
        ...(body === undefined ? {} : { body }),
      })
      for (const field of response.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(field) ?? []
        jar.set(name, value)
      }
      const failures = this.#gateway.log.lines.slice(from).filter((line) => line.includes('"level":"error"'))
      compare(response, expect, `exchange ${at + 1}: ${send}\n${failures.join('\n')}`)
      if (expect.audit !== undefined) await this.#audited(target, expect.audit)
      if (expect.log !== undefined) await this.#gateway.log.until(new RegExp(RegExp.escape(expect.log)), from)
    }
  }

  async #audited(target: string, expected: JsonObject): Promise<void> {
    const path = join(this.#gateway.instance.directory, 'trail', 'access.audit.json')
    let found: JsonObject | undefined
    await waitUntil(`an access event of ${target}`, () => {
      const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
      const line = lines.find((each) => each.includes(target))
      found = line === undefined ? undefined : (JSON.parse(line) as JsonObject)
      return found !== undefined
    })
    assert.deepEqual(sameParts(found, expected), expected, JSON.stringify(found))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

const CONFIG = {
  handler: '_router',
  heap: [
    { name: '_router', type: 'Router' },
    {
      name: 'AuditService',
      type: 'AuditService',
      config: {
        eventHandlers: [
          {
            class: 'org.vendor.audit.handlers.json.JsonAuditEventHandler',
            config: { name: 'file', topics: ['access'], logDirectory: 'trail' },
          },
        ],
      },
    },
  ],
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((all, [name, value]) => all.replaceAll(`{${name}}`, value), text)
}

/** Replaces the marks `"script": true` by the fields of a script. */
function withScript(json: JsonValue, fields: { readonly type: string; readonly file: string }): JsonValue {
  if (Array.isArray(json)) return json.map((each) => withScript(each, fields))
  if (!isPlainObject(json)) return json
  const { script, ...others } = json as JsonObject
  const entries = Object.entries(others).map(([key, value]) => [key, withScript(value as JsonValue, fields)])
  return { ...(script === true ? fields : {}), ...Object.fromEntries(entries) } as JsonObject
}

function compare(response: ReceivedResponse, expect: ExpectedExchange['expect'], message: string): void {
  const found: Record<string, unknown> = { status: response.status }
  const expected: Record<string, unknown> = { status: expect.status }
  const field = (name: string): string | null => {
    const value = response.headers[name]
    return value === undefined ? null : [value].flat().join(', ')
  }
  for (const [name, value] of Object.entries(expect.headers ?? {})) {
    found[name] = field(name)
    expected[name] = value
  }
  if (expect.body !== undefined) {
    found['body'] = response.text
    expected['body'] = expect.body
  }
  if (expect.json !== undefined) {
    found['json'] = jsonIn(response.text)
    expected['json'] = expect.json
  }
  if (expect.received !== undefined) {
    const received = jsonIn(response.text) as JsonObject
    found['received'] = sameParts(received, expect.received)
    expected['received'] = expect.received
  }
  assert.deepEqual(found, expected, `${message}\n${response.text}`)
}

function jsonIn(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** The parts of a value that an expected one has; null for missing ones. */
function sameParts(value: JsonValue | undefined, expected: JsonValue): JsonValue {
  if (!isPlainObject(expected) || !isPlainObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(expected).map(([key, part]) => [
      key,
      sameParts((value as JsonObject)[key] as JsonValue, part as JsonValue),
    ]),
  ) as JsonObject
}
