// Construction of objects of script classes.

import { allocateObject } from '../meter.ts'
import { eachItem } from '../runtime/iterate.ts'
import { constructorMissing } from '../runtime/missing.ts'
import { andThen, type Maybe } from '../runtime/pending.ts'
import { setProperty } from '../runtime/property.ts'
import type { Expression, Position } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { MapInterface, ObjectClass } from '../values/classes.ts'
import type { MapValue } from '../values/collection.ts'
import type { Invocable, MethodGroup } from '../values/method-group.ts'
import { textOf } from '../values/text.ts'
import { Instance, type Value } from '../values/value.ts'
import { withValues } from './arguments.ts'
import type { Context } from './context.ts'
import { type Frame, type Node, SELF } from './frame.ts'
import { parameterOf } from './functions.ts'

/** Steps of creating an object of a class. */
interface Construction {
  readonly klass: ClassInfo
  /** The constructors that the class declares: they run on an allocated object. */
  readonly declared: MethodGroup
  /** Sets the fields to null, or to zero by their type. */
  readonly setDefaults: (self: Value) => void
  /** Sets the fields to their declared values. */
  readonly initialise: (self: Value) => Maybe
}

const constructions = new WeakMap<ClassInfo, Construction>()

export function setConstruction(construction: Construction): void {
  constructions.set(construction.klass, construction)
}

/** Whether a class is defined by a script, in this file or another. */
export function isScriptClass(klass: ClassInfo): boolean {
  return constructions.has(klass)
}

/** An allocated object whose fields, inherited ones included, are unset. */
export function allocate(klass: ClassInfo): Value {
  const made = allocator(klass)(klass)
  for (let each: ClassInfo | null = klass; each !== null; each = each.parent) constructions.get(each)?.setDefaults(made)
  if (made instanceof Instance) allocateObject(made.fields.length)
  return made
}

function allocator(klass: ClassInfo): (klass: ClassInfo) => Value {
  for (let each: ClassInfo | null = klass; each !== null; each = each.parent) {
    if (each.extensible !== null) return each.extensible.allocate
  }
  return (each) => new Instance(each)
}

/** Runs a constructor of a class on an object of it, or of a subclass. */
export function initialise(self: Value, klass: ClassInfo, args: Value[]): Maybe {
  const construction = constructions.get(klass)
  if (construction === undefined) return initialiseLibraryPart(self, klass, args)
  const result = construction.declared.tryInvoke(self, args)
  if (result !== undefined) return result
  if (construction.declared.overloads.length === 0 && args.length === 0) return initialiseWithout(self, construction)
  throw constructorMissing(klass, args)
}

/** A class without constructors has one without parameters. */
function initialiseWithout(self: Value, { klass, initialise: setFields }: Construction): Maybe {
  return andThen(initialise(self, klass.parent ?? ObjectClass, []), () => setFields(self))
}

function initialiseLibraryPart(self: Value, klass: ClassInfo, args: Value[]): Maybe {
  return klass.extensible?.initialise(self, args) ?? null
}

/** Runs the constructor of the superclass and the field initialisers. */
export function beginConstructor(self: Value, klass: ClassInfo): Maybe {
  const { initialise: setFields } = constructions.get(klass)!
  return andThen(initialise(self, klass.parent ?? ObjectClass, []), () => setFields(self))
}

/** `this(...)` and `super(...)`. */
export function compileConstructorCall(
  kind: 'this' | 'super',
  args: readonly Expression[],
  position: Position,
  context: Context,
): Node {
  const { owner, isConstructor, unit } = context
  if (owner === null || !isConstructor)
    throw unit.fail(`${kind}(...) is allowed only at the start of a constructor`, position)
  const { info } = owner
  return withValues(args, context, (values, frame: Frame) => {
    const self = frame[SELF] as Value
    if (kind === 'this') return initialise(self, info, values)
    return andThen(initialise(self, info.parent ?? ObjectClass, values), () =>
      constructions.get(info)!.initialise(self),
    )
  })
}

/** The constructors of `new X(...)`: the declared ones, and one with a map of properties. */
export function creators(klass: ClassInfo, declared: readonly Invocable[], allocateObject: () => Value): Invocable[] {
  const make = (args: Value[]): Maybe => {
    const self = allocateObject()
    return andThen(initialise(self, klass, args), () => self)
  }
  const listed = declared.map((each): Invocable => ({ ...each, call: (_, args) => make(args as Value[]) }))
  const plain = declared.length === 0 ? [creator([], () => make([]))] : []
  const takesNone = declared.length === 0 || declared.some(({ parameters }) => parameters.length === 0)
  const takesMap = declared.some(({ parameters }) => parameters[0]?.name === 'Map' && parameters.length === 1)
  if (!takesNone || takesMap) return [...listed, ...plain]
  const mapType = parameterOf(MapInterface)
  const named = creator([mapType], ([values]) =>
    andThen(make([]), (self) =>
      eachItem(
        (values as MapValue).entries(),
        ({ key, value }) => setProperty(self, textOf(key), value),
        () => self,
      ),
    ),
  )
  return [...listed, ...plain, named]
}

function creator(parameters: Invocable['parameters'], make: (args: Value[]) => Maybe): Invocable {
  return {
    name: '<init>',
    parameters,
    varargs: false,
    returns: null,
    text: `new(${parameters.map(({ name }) => name).join(', ')})`,
    isAbstract: false,
    call: (_, args) => make(args as Value[]),
  }
}
