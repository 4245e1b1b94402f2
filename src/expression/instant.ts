import { numberValue } from '#json'
import { describe } from './coercion.ts'
import { EvaluationError } from './errors.ts'
import { type Exposure, exposed } from './exposed.ts'

/** The largest time of a JavaScript Date, in milliseconds from 1970. */
const lastMillisecond = 8_640_000_000_000_000

const steps = { Millis: 1, Seconds: 1_000, Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000 }

const exposure: Exposure<Instant> = {
  kind: 'instant',
  get: {
    epochMillis: (self) => self.epochMillis,
    epochSeconds: (self) => Math.floor(self.epochMillis / 1_000),
    rfc1123: (self) => new Date(self.epochMillis).toUTCString(),
  },
  call: Object.fromEntries([
    ['toString', (self: Instant) => new Date(self.epochMillis).toISOString()],
    ...Object.entries(steps).flatMap(([unit, factor]) => [
      [`plus${unit}`, (self: Instant, amount: unknown) => self.plus(amount, factor)],
      [`minus${unit}`, (self: Instant, amount: unknown) => self.plus(amount, -factor)],
    ]),
  ]),
}

/** A point in time for expressions: `now`, the dates of a certificate. */
export class Instant {
  readonly epochMillis: number

  constructor(epochMillis: number) {
    this.epochMillis = epochMillis
  }

  get [exposed](): Exposure<Instant> {
    return exposure
  }

  /** The instant `amount` times `factor` milliseconds later. */
  plus(amount: unknown, factor: number): Instant {
    const number = numberValue(amount)
    if (number === null || !Number.isFinite(number)) {
      throw new EvaluationError(`expected a number to add to an instant, found ${describe(amount)}`)
    }
    const sum = this.epochMillis + Math.trunc(number) * factor
    if (Math.abs(sum) > lastMillisecond) throw new EvaluationError('the instant is out of range')
    return new Instant(sum)
  }
}
