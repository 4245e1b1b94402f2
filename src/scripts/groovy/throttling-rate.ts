import { type ClassInfo, GroovyObject, isNumber, textOf, toInt, type Value } from '@identity-gateway/groovy'
import type { ThrottlingRate } from '#contracts'
import { parseDuration } from '#expression'
import { extendWithHost, gatewayClass } from './host-class.ts'

const ThrottlingRateClass = gatewayClass('openig.filter.throttling.ThrottlingRate')
const DurationClass = gatewayClass('util.time.Duration')

/** A rate returned by a throttling policy. */
export class RateValue extends GroovyObject {
  readonly rate: ThrottlingRate

  constructor(numberOfRequests: number, duration: Value) {
    super()
    const milliseconds = duration instanceof DurationValue ? duration.milliseconds : millisecondsOf(textOf(duration))
    if (numberOfRequests < 1) {
      throw new RangeError(`numberOfRequests: expected an integer of at least 1, got ${numberOfRequests}`)
    }
    if (!Number.isFinite(milliseconds) || milliseconds < 1) {
      throw new RangeError(`duration: expected a limited duration such as "10 seconds", got ${textOf(duration)}`)
    }
    this.rate = { numberOfRequests, duration: milliseconds }
  }

  get klass(): ClassInfo {
    return ThrottlingRateClass
  }
}

/** A duration in the syntax of configurations. */
class DurationValue extends GroovyObject {
  readonly text: string
  readonly milliseconds: number

  constructor(text: string) {
    super()
    this.text = text
    this.milliseconds = millisecondsOf(text)
  }

  get klass(): ClassInfo {
    return DurationClass
  }
}

function millisecondsOf(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === null) throw new RangeError(`expected a duration such as "10 seconds", got "${text}"`)
  return milliseconds
}

extendWithHost(DurationClass, {
  'new(String text)': (text: string) => new DurationValue(text),
  'static duration(String text): Duration': (text: string) => new DurationValue(text),
  'static duration(long value, Object unit): Duration': (value: bigint, unit: Value) =>
    new DurationValue(`${value} ${textOf(unit).toLowerCase()}`),
  'toString(): String': (self: DurationValue) => self.text,
})

extendWithHost(ThrottlingRateClass, {
  'new(Object numberOfRequests, Object duration)': (requests: Value, duration: Value) => {
    if (!isNumber(requests)) throw new TypeError('numberOfRequests: expected a number')
    return new RateValue(toInt(requests), duration)
  },
  'getNumberOfRequests(): int': ({ rate }: RateValue) => rate.numberOfRequests,
  'getDuration(): Duration': ({ rate }: RateValue) => new DurationValue(`${rate.duration} milliseconds`),
})
