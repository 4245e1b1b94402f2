import { amqpLinks } from './amqp/amqp-link.ts'
import { FailoverProducer } from './failover-producer.ts'
import { openWireLinks } from './openwire/openwire-link.ts'
import type { JmsProducer, ProducerEnv } from './producer.ts'
import type { ProducerPlan } from './producer-plan.ts'

/** A producer for the plan. It connects with the first message. */
export function openProducer(plan: ProducerPlan, env: ProducerEnv): JmsProducer {
  const links = plan.connection.protocol === 'amqp' ? amqpLinks : openWireLinks
  return new FailoverProducer(plan.connection, env, links(plan, env))
}
