import { checkLength, checkText } from '../../meter.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { StringBufferClass, StringBuilderClass } from '../../values/classes.ts'
import { GroovyObject } from '../../values/value.ts'

/** A StringBuilder or StringBuffer. */
export class StringBuilderValue extends GroovyObject {
  readonly klass: ClassInfo
  text: string

  constructor(text = '', klass: ClassInfo = StringBuilderClass) {
    super()
    this.text = text
    this.klass = klass
  }

  override get weight(): number {
    return this.text.length
  }

  static buffer(text: string): StringBuilderValue {
    return new StringBuilderValue(text, StringBufferClass)
  }

  append(text: string): this {
    // Only the appended text counts: the previous text becomes garbage.
    checkLength(this.text.length + text.length)
    checkText(text.length)
    this.text += text
    return this
  }
}
