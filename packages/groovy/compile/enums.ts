import { checkCopy } from '../meter.ts'
import { settled } from '../runtime/pending.ts'
import { StringClass } from '../values/classes.ts'
import { EnumValue } from '../values/enum-value.ts'
import { illegalArgument } from '../values/exceptions.ts'
import { ObjectArray } from '../values/java-array.ts'
import type { Invocable } from '../values/method-group.ts'
import type { Value } from '../values/value.ts'
import { withValues } from './arguments.ts'
import { initialise } from './constructors.ts'
import type { Context } from './context.ts'
import { addField } from './fields.ts'
import type { Frame } from './frame.ts'
import { parameterOf } from './functions.ts'
import { staticFieldsOf } from './static-fields.ts'
import type { UserClass } from './unit.ts'

/** Constants are static fields; `values` and `valueOf` return them. */
export function declareEnum(user: UserClass, { unit }: Context): void {
  const { info, node } = user
  const indexes = node.constants.map(({ name, position }) => {
    if (user.fields.has(name)) throw unit.fail(`a constant or field ${name} is already declared in this enum`, position)
    return addField(user, { name, isStatic: true, isFinal: true, isHidden: false, type: null }).index
  })
  const statics = staticFieldsOf(info)
  const all = (): Value[] => indexes.map((index) => statics.read(index))
  info.ownStatics.set('values', [
    method('values', [], () => {
      checkCopy(indexes.length)
      return new ObjectArray(info, all())
    }),
  ])
  info.ownStatics.set('valueOf', [
    method('valueOf', [parameterOf(StringClass)], (_, [name]) => {
      const found = all().find((each) => (each as EnumValue).constant === name)
      if (found === undefined)
        throw illegalArgument(`No enum constant ${info.name.replaceAll('$', '.')}.${String(name)}`)
      return found
    }),
  ])
}

function method(name: string, parameters: Invocable['parameters'], call: Invocable['call']): Invocable {
  return { name, parameters, varargs: false, returns: null, text: `${name}()`, isAbstract: false, call }
}

/** Creates the constants first; null for classes without any. */
export function setUpConstants({ info, node, fields }: UserClass, context: Context): ((frame: Frame) => void) | null {
  if (node.constants.length === 0) return null
  const statics = staticFieldsOf(info)
  const makers = node.constants.map(({ name, args }, ordinal) =>
    withValues(args, context, (values) => {
      const constant = new EnumValue(info, name, ordinal)
      settled(initialise(constant, info, values), 'a constructor of an enum')
      statics.write(fields.get(name)!.index, constant)
      return null
    }),
  )
  return (frame) => {
    for (const make of makers) settled(make(frame), 'the constants of an enum')
  }
}
