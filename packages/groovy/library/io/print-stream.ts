// PrintStream, and System.out and System.err, which write to the output of the script as println does.

import { checkText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { currentEvaluation } from '../../runtime/evaluation.ts'
import { declareClass } from '../../values/classes.ts'
import { javaText, textOf } from '../../values/text.ts'
import { ThrowableClass, type ThrowableValue } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { stackText } from '../exception/exceptions.ts'
import { SystemClass } from '../system/system.ts'
import { bytesOf, textOfBytes } from '../text/charsets.ts'
import { formatted } from '../text/format.ts'
import { OutputStreamClass, OutputStreamValue } from './output.ts'

const PrintStreamClass = declareClass('java.io.PrintStream', { parent: OutputStreamClass })

function print(self: OutputStreamValue, text: string): void {
  checkText(text.length)
  self.write(bytesOf(text, 'UTF-8'))
}

function printFormatted(self: OutputStreamValue, format: string, values: Value[]): OutputStreamValue {
  print(self, formatted(format, values))
  return self
}

extend(PrintStreamClass, {
  'new(OutputStream stream)': ({ write }: OutputStreamValue) => new OutputStreamValue(write, PrintStreamClass),
  'print(Object? value): void': (self: OutputStreamValue, value: Value) => print(self, textOf(value)),
  'println(): void': (self: OutputStreamValue) => print(self, '\n'),
  'println(Object? value): void': (self: OutputStreamValue, value: Value) => print(self, `${textOf(value)}\n`),
  'printf(String format, Object... values): PrintStream': printFormatted,
  'format(String format, Object... values): PrintStream': printFormatted,
  'append(Object? text): PrintStream': (self: OutputStreamValue, text: Value) => {
    print(self, javaText(text))
    return self
  },
})

const scriptOutput = new OutputStreamValue(
  (bytes) => currentEvaluation().output(textOfBytes(bytes, 'UTF-8')),
  PrintStreamClass,
)

extend(SystemClass, {
  'static out: PrintStream': scriptOutput,
  'static err: PrintStream': scriptOutput,
})

extend(ThrowableClass, {
  'printStackTrace(PrintStream stream): void': (self: ThrowableValue, stream: OutputStreamValue) =>
    print(stream, stackText(self)),
})
