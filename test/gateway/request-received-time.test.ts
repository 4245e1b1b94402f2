// contexts.requestAudit.requestReceivedTime: when the request reached the gateway, in milliseconds since the epoch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { accessEvents, auditedRoot, TO_FILE } from '#test/audited-gateway'
import { RunningGateway } from '#test/gateway'

const scripted = (type: string, ...source: string[]): JsonObject => ({
  type: 'ScriptableHandler',
  config: { type: `application/${type}`, source },
})

const HANDLERS: Readonly<Record<string, JsonObject>> = {
  expression: {
    type: 'StaticResponseHandler',
    config: {
      status: 200,
      headers: { 'Content-Type': ['text/plain'] },
      entity: '${contexts.requestAudit.requestReceivedTime}',
    },
  },
  groovy: scripted(
    'x-groovy',
    'import org.forgerock.services.context.RequestAuditContext',
    'long time = context.asContext(RequestAuditContext).getRequestReceivedTime()',
    'assert time == contexts.requestAudit.requestReceivedTime && time instanceof Long',
    'assert System.currentTimeMillis() - time < 60_000',
    'return new Response(Status.OK).setEntity(String.valueOf(time))',
  ),
  javascript: scripted(
    'javascript',
    'return new Response({ entity: String(contexts.requestAudit.requestReceivedTime) })',
  ),
}

test('expressions and scripts read when the request was received', async () => {
  const routes = Object.fromEntries(
    Object.entries(HANDLERS).map(([name, handler]) => [
      name,
      { name, condition: `\${request.uri.path == '/${name}'}`, handler } as JsonObject,
    ]),
  )
  await using gateway = await RunningGateway.start({ routes, files: { 'config/config.json': auditedRoot(TO_FILE) } })
  const times: number[] = []
  for (const name of Object.keys(HANDLERS)) {
    const { status, text } = await gateway.ask(`/${name}`)
    assert.equal(status, 200, `${name}: ${text}`)
    times.push(Number(text))
  }
  const events = await accessEvents(gateway.instance, times.length)
  for (const [at, { timestamp }] of events.entries()) {
    const difference = Date.parse(String(timestamp)) - times[at]!
    assert.ok(Math.abs(difference) < 1_000, `${difference} ms from the request to the time of its event`)
  }
})
