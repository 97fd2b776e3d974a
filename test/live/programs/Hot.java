/** Code that the JVM makes while it runs, interpreted at first and compiled later. Usage: Hot ROUNDS */
public class Hot {
  static double leaf(int n) {
    double sum = 0;
    for (int i = 1; i < n; i++) sum += Math.sqrt(i) / (i + 1.5);
    return sum;
  }

  static double middle(int n) {
    double sum = 0;
    for (int i = 0; i < 50; i++) sum += leaf(n + i);
    return sum;
  }

  static int mixed(int[] numbers) {
    int sum = 0;
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = numbers[i] * 31 + round;
        sum ^= numbers[i];
      }
    }
    return sum;
  }

  public static void main(String[] arguments) {
    int[] numbers = new int[4096];
    double total = 0;
    for (int round = 0; round < Integer.parseInt(arguments[0]); round++) total += middle(1000) + mixed(numbers);
    System.out.println(total);
  }
}
