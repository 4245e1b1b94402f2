// All classes of the language's own library. Importing a table gives its classes their members.
import '../values/exceptions.ts'
import '../values/functional.ts'
import './object/object.ts'
import './object/script.ts'
import './collection/iteration.ts'
import './collection/similar.ts'
import './collection/iterable.ts'
import './collection/collection.ts'
import './collection/list.ts'
import './collection/set.ts'
import './collection/arrays.ts'
import './collection/ranges.ts'
import './map/map.ts'
import './closure/closure.ts'
import './closure/functional.ts'
import './text/string.ts'
import './text/gdk-string.ts'
import './text/conversions.ts'
import './text/string-builder.ts'
import './regex/text-patterns.ts'
import './regex/pattern.ts'
import './number/number.ts'
import './number/number-classes.ts'
import './number/big-decimal.ts'
import './number/character.ts'
import './exception/exceptions.ts'
import { Library } from '../registry/library.ts'
import { libraryClasses, NullClass } from '../values/classes.ts'

let made: Library | null = null

/** The library that every script has. */
export function coreLibrary(): Library {
  made ??= new Library([...libraryClasses()].filter((klass) => klass.kind !== 'primitive' && klass !== NullClass))
  return made
}
