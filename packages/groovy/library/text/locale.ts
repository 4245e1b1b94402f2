// Locales. They select the rules of upper and lower case; names of months and days are English in each.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { GroovyObject } from '../../values/value.ts'

const LocaleClass = declareClass('java.util.Locale')

export class LocaleValue extends GroovyObject {
  readonly tag: string

  constructor(tag: string) {
    super()
    this.tag = tag
  }

  get klass(): ClassInfo {
    return LocaleClass
  }

  /** The language, where it has case rules of its own; others have those of Unicode. */
  get caseRules(): string {
    const language = this.tag.slice(0, 2).toLowerCase()
    return ['tr', 'az', 'lt'].includes(language) ? language : 'en'
  }

  override equalityKey(): string {
    return this.tag
  }
}

extend(LocaleClass, {
  'new(String language)': (language: string) => new LocaleValue(language),
  'new(String language, String country)': (language: string, country: string) =>
    new LocaleValue(`${language}_${country}`),
  'static ENGLISH: Locale': new LocaleValue('en'),
  'static US: Locale': new LocaleValue('en_US'),
  'static UK: Locale': new LocaleValue('en_GB'),
  'static ROOT: Locale': new LocaleValue(''),
  'static getDefault(): Locale': () => new LocaleValue('en_US'),
  'toString(): String': (self: LocaleValue) => self.tag,
})
