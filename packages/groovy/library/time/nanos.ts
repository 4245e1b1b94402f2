// Values of java.time are a count of nanoseconds; the members that follow from it.
import type { MemberTable } from '../../registry/extend.ts'
import type { GroovyObject, Value } from '../../values/value.ts'

/** In a second. */
export const NANOS = 1_000_000_000n

/** Units of fixed length, as in names of members: `plusHours`. */
export const UNITS = {
  Nanos: 1n,
  Micros: 1_000n,
  Millis: 1_000_000n,
  Seconds: NANOS,
  Minutes: 60n * NANOS,
  Hours: 3_600n * NANOS,
  Half_Days: 43_200n * NANOS,
  Days: 86_400n * NANOS,
  Weeks: 604_800n * NANOS,
}
type Unit = keyof typeof UNITS

interface Counted extends GroovyObject {
  readonly nanos: bigint
}

/** A member for each unit. */
export function unitMembers(
  units: readonly Unit[],
  signature: (unit: Unit) => string,
  member: (nanos: bigint) => (self: never, ...args: never[]) => unknown,
): MemberTable {
  return Object.fromEntries(units.map((unit) => [signature(unit), member(UNITS[unit])]))
}

/** `plusHours` and `minusHours` for each unit, and those of a Duration. */
export function movingMembers<Self extends Counted>(
  type: string,
  units: readonly Unit[],
  at: (self: Self, nanos: bigint) => Value,
): MemberTable {
  const moved = (nanos: bigint) => (self: Self, amount: bigint) => at(self, self.nanos + amount * nanos)
  const named = (verb: string) => (unit: Unit) => `${verb}${unit}(long ${unit.toLowerCase()}): ${type}`
  return {
    ...unitMembers(units, named('plus'), moved),
    ...unitMembers(units, named('minus'), (nanos) => moved(-nanos)),
    [`plus(Duration duration): ${type}`]: (self: Self, { nanos }: Counted) => at(self, self.nanos + nanos),
    [`minus(Duration duration): ${type}`]: (self: Self, { nanos }: Counted) => at(self, self.nanos - nanos),
  }
}

/** The order of nanoseconds. */
export function orderMembers(
  type: string,
  compared = 'Object',
  of = (other: Value): bigint => (other as Counted).nanos,
): MemberTable {
  return {
    [`isBefore(${type} other): boolean`]: (self: Counted, other: Value) => self.nanos < of(other),
    [`isAfter(${type} other): boolean`]: (self: Counted, other: Value) => self.nanos > of(other),
    [`compareTo(${compared} other): int`]: (self: Counted, other: Value) => {
      const nanos = of(other)
      return self.nanos < nanos ? -1 : self.nanos > nanos ? 1 : 0
    },
  }
}
