// Concurrent changes on three gateways: none is lost, and no release is made twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { EtcdMember, etcdMissing } from '#test/etcd'
import { FleetGateway, RELEASES } from '#test/fleet'
import { pathRoute } from '#test/gateway'
import { ROUTES } from '#test/management'

const WRITERS = 15
const WRITES = 10

/** A route whose text is a number. */
function counter(value: number): Record<string, unknown> {
  return pathRoute('/counter', String(value))
}

function valueIn(route: JsonObject): number {
  return Number((route['handler'] as { config: { entity: string } }).config.entity)
}

test(`${WRITERS * WRITES} writes with If-Match on three gateways are a sequence of releases`, {
  skip: etcdMissing,
  timeout: 300_000,
}, async (context) => {
  const etcd = await EtcdMember.startAll(['a', 'b', 'c'])
  const fleet = await Promise.all(['one', 'two', 'three'].map((id) => FleetGateway.start(etcd, { id })))
  try {
    const first = await fleet[0]!.manage('PUT', `${ROUTES}/counter`, { body: counter(0) })
    assert.equal(first.status, 201, first.text)
    for (const each of fleet) await each.serves('/counter', '0')
    let late = 0
    const begin = performance.now()
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const gateway = fleet[writer % fleet.length]!
        for (let done = 0; done < WRITES; ) {
          const { json } = await gateway.manage('GET', `${ROUTES}/counter`)
          const headers = { 'If-Match': `"${json['_rev']}"` }
          const put = await gateway.manage('PUT', `${ROUTES}/counter`, { body: counter(valueIn(json) + 1), headers })
          assert.ok(put.status === 200 || put.status === 412, `${put.status} ${put.text}`)
          if (put.status === 200) done++
          else late++
        }
      }),
    )
    const seconds = (performance.now() - begin) / 1000
    context.diagnostic(`${late} writes came too late and were repeated; ${seconds.toFixed(1)} s`)
    const total = WRITERS * WRITES
    for (const each of fleet) await each.serves('/counter', String(total))
    const { json } = await fleet[0]!.manage('GET', `${RELEASES}?_queryFilter=true&_fields=parent`)
    const numbers = (json['results'] as JsonObject[]).map(({ _id }) => Number(_id)).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: total + 1 }, (_, at) => at + 1),
    )
    for (const number of numbers) {
      const path = 'config/routes/counter.json'
      const read = await fleet[number % 3]!.manage('POST', `${RELEASES}/${number}?_action=contents`, {
        body: { paths: [path] },
      })
      const text = (read.json['files'] as Record<string, string>)[path]!
      assert.equal(valueIn(JSON.parse(text) as JsonObject), number - 1, `release ${number}`)
    }
  } finally {
    for (const each of fleet) await each[Symbol.asyncDispose]()
    for (const member of etcd) await member[Symbol.asyncDispose]()
  }
})
