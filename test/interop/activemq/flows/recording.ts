import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { producerOf } from '#test/jms-plan'
import type { Flow } from '../../flows.ts'
import { ActiveMqBroker } from '../broker.ts'
import { RecordingRelay } from '../recording-relay.ts'
import { messagesOf, type Peers, planAt } from '../suite.ts'

/** Sessions that tests without a broker replay. */
export const RECORDING_FLOWS: readonly Flow<Peers>[] = [
  ...(['PERSISTENT', 'NON_PERSISTENT'] as const).map((deliveryMode) => ({
    name: `record a session with ${deliveryMode} messages`,
    run: async ({ broker }: Peers) => {
      await using relay = await RecordingRelay.start(broker.port)
      const producer = producerOf(planAt(`tcp://127.0.0.1:${relay.port}`, 'recorded', { deliveryMode }))
      await producer.send(messagesOf('recorded', 3))
      await producer.close()
      relay.save(deliveryMode.toLowerCase().replace('_', '-'))
    },
  })),
  {
    name: 'record a refused password',
    run: async () => {
      await using broker = await ActiveMqBroker.start({ users: { gateway: 'right' } })
      await using relay = await RecordingRelay.start(broker.port)
      const properties = { userName: 'gateway', password: 'wrong' }
      await using producer = producerOf(planAt(`tcp://127.0.0.1:${relay.port}`, 'recorded', {}, properties))
      await assert.rejects(producer.send(messagesOf('recorded', 1)), /password is invalid/)
      relay.save('refused-password')
    },
  },
  {
    name: 'record keep-alives of an idle connection',
    run: async () => {
      await using broker = await ActiveMqBroker.start()
      await using relay = await RecordingRelay.start(broker.port)
      const url = `tcp://127.0.0.1:${relay.port}?wireFormat.maxInactivityDuration=600`
      await using producer = producerOf(planAt(url, 'recorded'))
      await producer.send(messagesOf('recorded', 1))
      const count = relay.frames.length
      await delay(2_000)
      await producer.send(messagesOf('recorded', 1))
      assert.ok(relay.frames.length > count + 4, 'frames of an idle connection')
      relay.save('keep-alive')
    },
  },
]
